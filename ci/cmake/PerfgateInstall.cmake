# A relocatable tree: bin/perfgate, bin/perfgate-workload, lib/libperfgate_probe.so, share/perfgate/workloads.
include(GNUInstallDirs)
