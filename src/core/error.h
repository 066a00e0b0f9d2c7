// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

namespace lissom {

// What a core function returns: empty when all is well, else one sentence that says what, where, expected,
// got and what to do. Bindings raise it as ValueError. Nothing has been written where it is not empty.
class [[nodiscard]] Error {
 public:
  Error() = default;
  explicit Error(std::string sentence) : sentence_(std::move(sentence)) {}

  explicit operator bool() const { return !sentence_.empty(); }
  const std::string& sentence() const { return sentence_; }

 private:
  std::string sentence_;
};

}  // namespace lissom
