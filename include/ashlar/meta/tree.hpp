// SPDX-License-Identifier: BSL-1.0
// Trees: aggregates whose members are trees or leaves.
#pragma once
#include "ashlar/meta/literal.hpp"
#include "ashlar/meta/product.hpp"
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar {

namespace meta_detail {

/// The names of an aggregate's members, as names() returns them. The type holds their lengths.
template <std::size_t... N>
struct member_names {
  static constexpr std::size_t count = sizeof...(N);
  char const* name[sizeof...(N)];
};

/// True for an aggregate template with `names` and one type parameter per name, and for a std::tuple. Shapes,
/// parameters, gradients and optimizer moments are the same template with other leaves.
template <class X>
inline constexpr bool is_tree_v = false;

template <template <class...> class S, class... M>
inline constexpr bool is_tree_v<S<M...>> = requires { S<M...>::names.count; };

template <class... M>
inline constexpr bool is_tree_v<std::tuple<M...>> = true;

}  // namespace meta_detail

/// Names the members of an aggregate. Its static member `names` holds the result, and paths of checkpoints use the
/// names. An aggregate with one type parameter per name, in order, is a tree:
/// template <class K, class B>
/// struct affine { K kernel; B bias; static constexpr auto names = ashlar::names("kernel", "bias"); };
/// Error: a tree does not compile unless it has one type parameter per name.
/// Example: static constexpr auto names = ashlar::names("kernel", "bias");
template <std::size_t... N>
consteval meta_detail::member_names<N...> names(char const (&... name)[N]) {
  return {{name...}};
}

/// An aggregate with `names`, or a std::tuple: parameters, gradients and optimizer moments are trees. Their leaves are tensors.
template <class X>
concept tree = meta_detail::is_tree_v<std::remove_cvref_t<X>>;

namespace meta_detail {

// The characters of a literal, as a text that ends with 0.
struct text_characters {
  char c[65]{};
};
template <text_literal Text>
inline constexpr text_characters characters_of = [] {
  text_characters t;
  for (unsigned i = 0; i < Text.size; ++i) t.c[i] = Text[i];
  return t;
}();

// A name as an argument, which "d1"_n makes.
template <text_literal Name>
struct member_name {};
template <text_literal Name, text_literal... Names>
struct name_of_a_member {
  static constexpr int index = [] {
    int found = -1, i = 0;
    ((Names == Name ? void(found = i) : void(), ++i), ...);
    return found;
  }();
  static constexpr bool ok = index >= 0;
  static constexpr void say() {
    static_assert(ok,
                  "ashlar::tree: no member has this name; name one of the tree's members, as in parameters[\"d1\"_n]");
  }
};

// Trees whose members have names that the compiler computes, any number of them: named_members<"d1", "d2">::of<A, B>.
template <text_literal... Names>
struct named_members {
  template <class... M>
  struct of {
    product<M...> members;
    static constexpr member_names<Names.size...> names{{characters_of<Names>.c...}};
    using members_with_names = void;

    constexpr of() = default;
    constexpr explicit of(M const&... m)
      requires(sizeof...(M) > 0)
        : members(m...) {}
    template <text_literal Name>
    constexpr auto& operator[](member_name<Name>) {
      return get<at<Name>()>(members);
    }
    template <text_literal Name>
    constexpr auto const& operator[](member_name<Name>) const {
      return get<at<Name>()>(members);
    }

   private:
    template <text_literal Name>
    static consteval int at() {
      using found = name_of_a_member<Name, Names...>;
      found::say();
      return found::ok ? found::index : 0;
    }
  };
};
template <class X>
concept has_named_members = requires { typename X::members_with_names; };

}  // namespace meta_detail

/// Makes an aggregate from its members' values: build<mlp>(a, b). (clang 16 cannot deduce an aggregate's arguments.)
/// Example: build<affine>(weight{784, 128}, weight{128})
template <template <class...> class S, class... M>
constexpr auto build(M... m) {
  return S<M...>{m...};
}

/// A tree of N copies of a tree, for the equal layers of a model. Its members are named 0, 1, ...
/// Example: stack<4>(build<block>(...)) as member `layers`; rule<"layers/*/kernel", L> serves the kernels of all four
template <std::size_t N, class X>
constexpr auto stack(X const& x) {
  if constexpr (N == 0)
    return std::tuple<>();
  else
    return std::tuple_cat(std::tuple<X>(x), stack<N - 1>(x));
}

namespace meta_detail {

/// True if some leaf of a tree is not what Is<leaf>::value asks for.
template <template <class> class Is, class X>
inline constexpr bool some_leaf_is_not = !Is<X>::value;
template <template <class> class Is, template <class...> class S, class... M>
  requires(tree<S<M...>>)
inline constexpr bool some_leaf_is_not<Is, S<M...>> = (some_leaf_is_not<Is, std::remove_cvref_t<M>> || ...);

// The tree that equal_layers makes: one layer in place of N.
template <std::size_t N>
struct layers_as_one {
  template <class Layer>
  struct of {
    Layer each;
    static constexpr auto names = ashlar::names("each");
    using number_of_equal_layers = std::integral_constant<std::size_t, N>;
  };
};
// The number of equal layers that a tree has one member for, or 1.
template <class X>
inline constexpr std::size_t equal_layers_of = 1;
template <class X>
  requires requires { typename X::number_of_equal_layers; }
inline constexpr std::size_t equal_layers_of<X> = X::number_of_equal_layers::value;

}  // namespace meta_detail

/// N equal layers as a tree of one layer, for dry runs of deep models. Its member is named `each`, and means all.
/// A dry run evaluates it once where `map`, `for_each_leaf` and bundles visit it, twice in `chain`, and counts its
/// collectives N times. So 100 layers cost the compiler as much as 2.
/// Pre: rules are for all layers alike, by patterns such as "layers/*/kernel".
/// Post: the ledger has the counts and bytes of stack<N>(layer).
/// Error: parameters of such a model on real ranks do not compile; they are made of stack<N>(layer).
/// Example: build<mlp>(equal_layers<100>(weight{64, 64}))
template <std::size_t N, class X>
constexpr auto equal_layers(X const& layer) {
  return typename meta_detail::layers_as_one<N>::template of<X>{layer};
}

namespace meta_detail {

template <class X>
struct members_of;
template <class X>
inline constexpr bool names_of_other_number_than_members = false;
template <template <class...> class S, class... M>
  requires requires { S<M...>::names.count; }
inline constexpr bool names_of_other_number_than_members<S<M...>> = S<M...>::names.count != sizeof...(M);
template <template <class...> class S, class... M>
struct members_of<S<M...>> {
  static_assert(
      !names_of_other_number_than_members<S<M...>>,
      "ashlar::names: a tree has one name and one type parameter for each member; write as many names as type parameters");
  static constexpr std::size_t count = sizeof...(M);
  template <class... New>
  using rebind = S<New...>;
};

// Calls f with the n members of an aggregate, by reference.
template <std::size_t n, class S, class F>
constexpr decltype(auto) bind_members(S& s, F&& f) {
  static_assert(n >= 1 && n <= 12, "ashlar::tree: a tree has 1 to 12 members; group them");
  // clang-format off
  if constexpr (n == 1) { auto& [a] = s; return f(a); }
  else if constexpr (n == 2) { auto& [a, b] = s; return f(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = s; return f(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = s; return f(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = s; return f(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, g] = s; return f(a, b, c, d, e, g); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, g, h] = s; return f(a, b, c, d, e, g, h); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, g, h, i] = s; return f(a, b, c, d, e, g, h, i); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, g, h, i, j] = s; return f(a, b, c, d, e, g, h, i, j); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, g, h, i, j, k] = s; return f(a, b, c, d, e, g, h, i, j, k); }
  else if constexpr (n == 11) { auto& [a, b, c, d, e, g, h, i, j, k, l] = s; return f(a, b, c, d, e, g, h, i, j, k, l); }
  else if constexpr (n == 12) { auto& [a, b, c, d, e, g, h, i, j, k, l, m] = s; return f(a, b, c, d, e, g, h, i, j, k, l, m); }
  // clang-format on
}

// Calls f with the members of a tree, by reference.
template <class F, class... M>
constexpr decltype(auto) with_members(std::tuple<M...>& s, F&& f) {
  return std::apply(f, s);
}
template <class F, class... M>
constexpr decltype(auto) with_members(std::tuple<M...> const& s, F&& f) {
  return std::apply(f, s);
}
template <class S, class F>
constexpr decltype(auto) with_members(S& s, F&& f) {
  if constexpr (has_named_members<S>)
    return s.members.apply_to(f);
  else
    return bind_members<members_of<std::remove_const_t<S>>::count>(s, f);
}

// Member I, from pointers to all: they are one class for all I.
template <std::size_t I, class X>
constexpr auto& member(X& x) {
  if constexpr (has_named_members<X>)
    return get<static_cast<int>(I)>(x.members);
  else
    return *bind_members<members_of<std::remove_const_t<X>>::count>(x, [](auto&... m) {
      return get<static_cast<int>(I)>(product<std::remove_reference_t<decltype(m)>*...>(&m...));
    });
}
template <std::size_t I, class... M>
constexpr auto& member(std::tuple<M...>& x) {
  return std::get<I>(x);
}
template <std::size_t I, class... M>
constexpr auto& member(std::tuple<M...> const& x) {
  return std::get<I>(x);
}

template <class X>
constexpr auto const& first_leaf(X const& x) {
  if constexpr (tree<X>)
    return first_leaf(member<0>(x));
  else
    return x;
}

// The ledger that records a leaf's collectives, or null. Only tensors have one.
struct no_ledger {
  constexpr int times_counted() const { return 1; }
  constexpr void count_times(int) {}
};
template <class Leaf>
constexpr auto* ledger_of(Leaf const& x) {
  if constexpr (requires { x.mesh().recorder()->log; })
    return x.mesh().recorder() ? &x.mesh().recorder()->log : nullptr;
  else
    return static_cast<no_ledger*>(nullptr);
}
// A ledger counts each collective `times` times more, until this object ends.
template <class Ledger>
class counted_times {
 public:
  constexpr counted_times(Ledger* log, std::size_t times) : log_(log), before_(log ? log->times_counted() : 1) {
    if (log_) log_->count_times(before_ * static_cast<int>(times));
  }
  counted_times(counted_times const&) = delete;
  counted_times& operator=(counted_times const&) = delete;
  constexpr ~counted_times() {
    if (log_) log_->count_times(before_);
  }

 private:
  Ledger* log_;
  int before_;
};
// The same for the layers that a tree has one member for.
template <class X>
constexpr auto count_equal_layers(X const& x) {
  auto* const log = ledger_of(first_leaf(x));
  return counted_times<std::remove_pointer_t<decltype(ledger_of(first_leaf(x)))>>(log, equal_layers_of<X>);
}

}  // namespace meta_detail

/// Applies f to each leaf, in order, and returns the tree of the results.
/// Example: map([](auto const& x) { return x * 2.f; }, params)
template <class F, class X>
constexpr auto map(F&& f, X const& x) {
  if constexpr (!tree<X>) {
    return f(x);
  } else if constexpr (meta_detail::equal_layers_of<X> != 1) {
    auto const here = meta_detail::count_equal_layers(x);
    return equal_layers<meta_detail::equal_layers_of<X>>(ashlar::map(f, x.each));
  } else {
    return meta_detail::with_members(x, [&](auto const&... m) {
      // Braces keep the order of evaluation.
      return typename meta_detail::members_of<X>::template rebind<decltype(ashlar::map(f, m))...>{ashlar::map(f, m)...};
    });
  }
}

/// Applies f to each member of a tree, and returns the tree of the results.
/// Example: map_members(whole, parameters.layers)
template <class F, tree X>
constexpr auto map_members(F&& f, X const& x) {
  if constexpr (meta_detail::equal_layers_of<X> != 1) {
    auto const here = meta_detail::count_equal_layers(x);
    return equal_layers<meta_detail::equal_layers_of<X>>(f(x.each));
  } else {
    return meta_detail::with_members(x, [&](auto const&... m) {
      return typename meta_detail::members_of<X>::template rebind<decltype(f(m))...>{f(m)...};
    });
  }
}

/// Calls f(leaf, leaf...) on corresponding leaves of trees with the same structure, in order.
/// Example: for_each_leaf([&](auto const& w) { count += w.extents().size(); }, parameters);
template <class F, class X, class... More>
constexpr void for_each_leaf(F&& f, X& x, More&... more) {
  if constexpr (!tree<X>) {
    f(x, more...);
  } else if constexpr (meta_detail::equal_layers_of<std::remove_const_t<X>> != 1) {
    auto const here = meta_detail::count_equal_layers<std::remove_const_t<X>>(x);
    ashlar::for_each_leaf(f, x.each, more.each...);
  } else if constexpr (sizeof...(More) == 0) {
    meta_detail::with_members(x, [&](auto&... m) { (ashlar::for_each_leaf(f, m), ...); });
  } else if constexpr (sizeof...(More) == 1) {
    meta_detail::with_members(x, [&](auto&... m) {
      (meta_detail::with_members(more, [&](auto&... n) { (ashlar::for_each_leaf(f, m, n), ...); }), ...);
    });
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (
          [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
            ashlar::for_each_leaf(f, meta_detail::member<J>(x), meta_detail::member<J>(more)...);
          }(std::integral_constant<std::size_t, I>{}),
          ...);
    }(std::make_index_sequence<meta_detail::members_of<std::remove_const_t<X>>::count>{});
  }
}

}  // namespace ashlar
