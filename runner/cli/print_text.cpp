#include "runner/cli/print_text.h"

#include "runner/cli/message_text.h"

namespace perfgate::cli {

Status print_text(const Console& console, std::string_view text) {
  return print(wrapped_text(text, console.width));
}

}  // namespace perfgate::cli
