// Names as types, and lists of them.
#include "ashlar/meta/names.hpp"
#include <string_view>

using namespace ashlar;

using data = meta_detail::axis_name<'d', 'a', 't', 'a'>;
using model = meta_detail::axis_name<'m', 'o', 'd', 'e', 'l'>;
using d = meta_detail::axis_name<'d'>;

// A name is readable as a type and as text.
static_assert(std::is_same_v<meta_detail::axis_name_t<"data">, data>);
static_assert(std::string_view(data::text) == "data" && data::size == 4);

// The names of a dimension's literal, in their order.
static_assert(std::is_same_v<meta_detail::names_in_t<dimension(none)>, meta_detail::name_list<>>);
static_assert(std::is_same_v<meta_detail::names_in_t<dimension("data")>, meta_detail::name_list<data>>);
static_assert(std::is_same_v<meta_detail::names_in_t<axes("data", "model")>, meta_detail::name_list<data, model>>);
static_assert(std::is_same_v<meta_detail::names_in_t<axes("model", "data")>, meta_detail::name_list<model, data>>);
static_assert(std::is_same_v<meta_detail::names_in_t<axes("d", "data")>, meta_detail::name_list<d, data>>);
static_assert(meta_detail::names_in_t<axes("a", "b", "c", "d", "e", "f", "g", "h")>::size == meta_detail::max_axes);

// Positions to names and back.
using list = meta_detail::name_list<data, model, d>;
static_assert(meta_detail::name_index_v<list, data> == 0 && meta_detail::name_index_v<list, model> == 1 &&
              meta_detail::name_index_v<list, d> == 2);
static_assert(meta_detail::name_index_v<list, meta_detail::axis_name<'x'>> == -1 &&
              meta_detail::name_index_v<meta_detail::name_list<>, data> == -1);
static_assert(std::is_same_v<meta_detail::name_at_t<list, 0>, data> &&
              std::is_same_v<meta_detail::name_at_t<list, 2>, d>);
static_assert(std::string_view(meta_detail::name_text<list>(1)) == "model");

// The order of names that partial layouts are sorted by: that of their characters, a beginning before the whole.
static_assert(meta_detail::name_less("data", "model") && !meta_detail::name_less("model", "data"));
static_assert(meta_detail::name_less("d", "data") && !meta_detail::name_less("data", "d") &&
              !meta_detail::name_less("data", "data"));
static_assert(meta_detail::name_less("A", "_") && meta_detail::name_less("_", "a"));
