/// Errors as values. `Result<T>` holds a T or an Error; `Status` is the same without a value.
///
/// Both are [[nodiscard]]: an ignored error does not compile. Vendor exceptions (yaml-cpp,
/// SQLiteCpp, nlohmann) are caught in the file that includes the vendor and become an Error there.
/// `std::expected` is absent from g++ 12 in C++20, hence this class.
///
///     Result<Config> load(const Path& p) {
///       PG_ASSIGN_OR_RETURN(std::string text, read_text(p));
///       PG_TRY(check_size(text));
///       return parse(text);
///     }
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace perfgate {

/// What kind of thing went wrong; `exit_code` in outcome.h maps it to the process's exit code.
enum class ErrorCode {
  usage,                ///< the command line or its arguments
  invalid_config,       ///< a workload, accepts or tuning file
  not_found,            ///< a file, program, device or record that was named and is not there
  io,                   ///< the operating system refused: disk full, permission, broken pipe
  corrupt,              ///< bytes that are not what their format promises
  unsupported,          ///< newer format, missing feature of the machine
  unavailable,          ///< device, driver, library or lock that cannot be had now
  invalid_measurement,  ///< the workload or its results cannot be used
  store,                ///< the baseline store: locked, read-only, newer, corrupt
  interrupted,          ///< Ctrl-C or a termination signal
  internal,             ///< a bug of ours
};

/// `message` says what is wrong in one sentence; `hint` says the next step; `context` is where
/// (file:line:col with caret lines, or the last lines a child printed) and may span lines.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string hint;
  std::string context;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<std::monostate>(state_); }
  [[nodiscard]] const Error& error() const& {
    assert(!ok());
    return std::get<Error>(state_);
  }
  [[nodiscard]] Error&& error() && {
    assert(!ok());
    return std::get<Error>(std::move(state_));
  }

 private:
  std::variant<std::monostate, Error> state_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): both are returned by name.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  [[nodiscard]] const Error& error() const& {
    assert(!ok());
    return std::get<1>(state_);
  }
  [[nodiscard]] Error&& error() && {
    assert(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace perfgate

#define PG_CONCAT_INNER(a, b) a##b
#define PG_CONCAT(a, b) PG_CONCAT_INNER(a, b)

/// Returns the error of a Status or Result from the enclosing function; drops a value.
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses.
#define PG_TRY(expression)                                    \
  do {                                                        \
    auto pg_status = (expression);                            \
    if (!pg_status.ok()) return std::move(pg_status).error(); \
  } while (false)

/// `PG_ASSIGN_OR_RETURN(auto x, f());`
#define PG_ASSIGN_OR_RETURN(declaration, expression) \
  PG_ASSIGN_OR_RETURN_IMPL(PG_CONCAT(pg_result_, __LINE__), declaration, expression)
#define PG_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) return std::move(result).error();             \
  declaration = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)
