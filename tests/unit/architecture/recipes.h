/// CONTRIBUTING.md's recipes ("How to add ..."): each extension is a file, a row of a catalogue and
/// a proof. These functions name the touch that is missing; they read text, so that they have tests
/// of their own.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace perfgate::architecture {

/// Path from the root -> text, of every file that a recipe can ask for.
using Tree = std::map<std::string, std::string>;

/// One line per missing touch. Empty = complete.
[[nodiscard]] std::vector<std::string> check_metrics(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_diagnosis_rules(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_gate_rules(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_reporters(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_workload_kinds(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_migrations(const Tree& tree);
[[nodiscard]] std::vector<std::string> check_commands(const Tree& tree);

}  // namespace perfgate::architecture
