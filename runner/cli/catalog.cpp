// The subcommands, in the order in which --help lists them. What is not built is not here.
#include <array>

#include "runner/cli/command.h"
#include "runner/cli/commands.h"

namespace perfgate::cli {
namespace {

constexpr std::array kCommands{
    CommandRow{"run", "measure a workload, compare with the baseline, judge",
               "perfgate run workloads/decode_8b.yaml --record\n"
               "  perfgate run --gpu none -- python decode.py --batch 4",
               setup_run},
    CommandRow{"ab", "compare two programs in one session, in pairs",
               "perfgate ab workloads/decode.yaml --base ../main\n"
               "  perfgate ab workloads/decode.yaml --base 'python decode.py --old'",
               setup_ab},
    CommandRow{"gate", "the joint verdict of results that are there already",
               "perfgate gate RUN_FOLDER RUN_FOLDER", setup_gate},
    CommandRow{"post", "put results on their pull request: comment and status",
               "perfgate post RUN_FOLDER --on-no-baseline pass\n"
               "  perfgate post RUN_FOLDER --repo me/app --pr 7 --sha SHA --author me",
               setup_post},
    CommandRow{"report", "render a result again in another format",
               "perfgate report RUN_FOLDER --format md", setup_report},
    CommandRow{"explain", "where the change of a result went, and why",
               "perfgate explain RUN_FOLDER", setup_explain},
    CommandRow{"compare", "where the change between two runs went; no verdict",
               "perfgate compare BASE_FOLDER HEAD_FOLDER --format md", setup_compare},
    CommandRow{"kernels", "the kernels of a result, by time",
               "perfgate kernels RUN_FOLDER --top 20", setup_kernels},
    CommandRow{"analyze", "what a capture holds; its timeline for Perfetto",
               "perfgate analyze RUN_FOLDER --timeline run.json\n"
               "  perfgate analyze BASE_FOLDER HEAD_FOLDER --timeline both.json",
               setup_analyze},
    CommandRow{"baseline", "look into the store; accept, pin, export, remove",
               "perfgate baseline list", setup_baseline},
    CommandRow{"trend", "the nightly report: creep, steps, runs that failed",
               "perfgate trend workloads/*.yaml --format md >>\"$GITHUB_STEP_SUMMARY\"\n"
               "  perfgate trend --store /var/lib/perfgate/perfgate.db --on-alert pass",
               setup_trend},
    CommandRow{"init", "run a command once and propose a workload file for it",
               "perfgate init --out workloads/mine.yaml -- python decode.py", setup_init},
    CommandRow{"validate", "check workload files without running anything",
               "perfgate validate workloads/*.yaml\n"
               "  perfgate validate workloads/decode_8b.yaml --against-store",
               setup_validate},
    CommandRow{"schema", "print the JSON Schema of workload files",
               "perfgate schema > workload.schema.json", setup_schema},
    CommandRow{"calibrate", "measure what this GPU reaches; how far runs scatter",
               "perfgate calibrate\n"
               "  perfgate calibrate --noise workloads/decode_8b.yaml",
               setup_calibrate},
    CommandRow{"drill", "plant known slowdowns here: false FAILs and power",
               "perfgate drill workloads/decode_8b.yaml --size 1%\n"
               "  perfgate drill workloads/decode_8b.yaml --show",
               setup_drill},
    CommandRow{"doctor", "check this machine: GPU, CUPTI, permissions, store", "perfgate doctor",
               setup_doctor},
    CommandRow{"selftest", "prove that the gate finds regressions and spares A/A",
               "perfgate selftest", setup_selftest},
};

}  // namespace

std::span<const CommandRow> commands() { return kCommands; }

}  // namespace perfgate::cli
