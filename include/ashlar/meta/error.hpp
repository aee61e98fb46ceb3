// SPDX-License-Identifier: BSL-1.0
// The one exception of the library.
#pragma once
#include <cstring>
#include <exception>

namespace ashlar {

/// The exception for a wrong input: an extent that does not match, a broken file, a mesh that does not fit. Every rank
/// of the communicator throws it. Its text names the expected and the found value. (It is not a std::runtime_error,
/// because that header costs the layers below MPI 100 ms of compile time.)
class error : public std::exception {
 public:
  explicit error(char const* sentence) : text_(new shared{1, {}}) { assign(sentence, std::strlen(sentence)); }
  template <class String>
    requires requires(String const& s) { s.c_str(); }
  explicit error(String const& sentence) : error(sentence.c_str()) {}
  error(error const& other) noexcept : std::exception(other), text_(other.text_) {
    __atomic_add_fetch(&text_->owners, 1, __ATOMIC_RELAXED);
  }
  error& operator=(error const& other) noexcept {
    error copy(other);
    shared* const mine = text_;
    text_ = copy.text_;
    copy.text_ = mine;
    return *this;
  }
  ~error() override {
    if (__atomic_sub_fetch(&text_->owners, 1, __ATOMIC_ACQ_REL) == 0) {
      delete[] text_->data;
      delete text_;
    }
  }
  char const* what() const noexcept override { return text_->data; }

 private:
  struct shared {
    int owners;
    char* data;
  };
  void assign(char const* text, std::size_t n) {
    text_->data = new char[n + 1];
    std::memcpy(text_->data, text, n + 1);
  }
  shared* text_;
};

namespace meta_detail {

// Not constexpr: a call in a constant expression is an error, and the compiler shows the line with the sentence.
[[noreturn]] inline void fail(char const* sentence) { throw error(sentence); }

}  // namespace meta_detail

}  // namespace ashlar
