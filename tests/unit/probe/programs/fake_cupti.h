// Controls of the stand-in libcupti, looked up by the test program with dlsym.
#pragma once

#include <cstdint>

extern "C" {
// One launch on `stream`: driver callbacks, an API record, and work for the pretended GPU; `node` 0
// = no graph.
void fake_launch(std::uint32_t stream, std::uint64_t node);
// The pretended GPU finishes up to `count` pieces of work, in order.
void fake_complete(int count);
void fake_profiler(int start);
// Instantiates the graph of nodes 1 and 2 as executable graph 77; its nodes are 1001 and 1002.
void fake_instantiate();
// A node of a graph under capture; 1 and 2 are those that fake_instantiate clones.
void fake_create_node(std::uint64_t node);
}
