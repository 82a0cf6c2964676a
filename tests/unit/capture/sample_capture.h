// A small capture with every kind of record, for the tests of this folder. Synthetic: no GPU made
// it.
#pragma once

#include <string>
#include <vector>

#include "runner/capture/encoder.h"
#include "runner/model/capture.h"

namespace perfgate::capture {

// What the tests expect to read back, with values at the edges of their types.
Capture sample_capture();

// The bytes of each block of `capture`, in file order: begin, strings, records, end.
std::vector<Bytes> encode_blocks(const Capture& capture);

Bytes joined(const std::vector<Bytes>& blocks);

// Every field as text, so that two captures compare as strings and a difference shows.
std::string dump(const Capture& capture);

}  // namespace perfgate::capture
