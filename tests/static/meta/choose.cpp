// The type, or the constant, that a number chooses.
#include "ashlar/meta/choose.hpp"

using namespace ashlar;

namespace {

constexpr auto size_of = []<class T>(std::type_identity<T>) { return sizeof(T); };
static_assert(choose_type<char, char[2], char[3]>(0, size_of) == 1);
static_assert(choose_type<char, char[2], char[3]>(1, size_of) == 2);
static_assert(choose_type<char, char[2], char[3]>(2, size_of) == 3);
static_assert(choose_type<char, char[2], char[3]>(9, size_of) == 3);
static_assert(choose_type<char>(1, size_of) == 1);

enum class color { red, green };
constexpr auto number_of = [](auto c) { return static_cast<int>(std::integral_constant<color, c.value>::value) + 5; };
static_assert(choose_value<color::green, color::red>(0, number_of) == 6);
static_assert(choose_value<color::green, color::red>(1, number_of) == 5);
static_assert(std::is_same_v<decltype(choose_value<1, 2>(0, [](auto x) { return x.value; })), int>);

}  // namespace
