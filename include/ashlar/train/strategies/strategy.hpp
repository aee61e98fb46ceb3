// SPDX-License-Identifier: BSL-1.0
// Parameters of a model, and the layouts that a strategy gives them.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/layout/by_rank.hpp"
#include "ashlar/plan/dry_run.hpp"
#include "ashlar/ops/random.hpp"
#include "ashlar/train/numbers.hpp"
#include "ashlar/train/strategies/path.hpp"
#include "ashlar/train/strategies/weight.hpp"

namespace ashlar::train_detail {

template <class Layout>
consteval auto layout_of_key() {
  static_assert(
      is_layout_v<Layout>,
      "ashlar::training::rule: its second argument is a layout, as in rule<\"d1/kernel\", layout<none, \"model\">>");
  return std::type_identity<Layout>{};
}
template <text_literal Key, class Layout>
struct keyed_layout {
  using layout_type = typename decltype(layout_of_key<Layout>())::type;
  static constexpr std::string_view range{meta_detail::characters_of<Key>.c, Key.size};
  static constexpr bool has_pattern = is_pattern(range);
};
template <bool Output, class Otherwise, class Place, class... Rules>
struct layout_by_rules;

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A layout for parameters. The key is a path such as "d1/kernel", or a pattern that is found in paths, such as
/// "feature*kernel", in which * matches any characters. A rule whose key equals the path wins over rules whose pattern is
/// found in it.
template <meta_detail::text_literal Key, class Layout>
struct rule : train_detail::keyed_layout<Key, Layout> {
  static constexpr bool of_output = false;
};
/// A layout for outputs of layers. The path of a layer is a path above parameters, such as "d2". The network calls
/// place() on the output.
template <meta_detail::text_literal Key, class Layout>
struct output_rule : train_detail::keyed_layout<Key, Layout> {
  static constexpr bool of_output = true;
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

/// The object for which a strategy gives a layout: a parameter of a model, or the output of one of its layers.
template <class Path, int Rank>
struct layout_place {
  using path = Path;
  static constexpr int rank = Rank;
  /// True if this is the whole path. Example: Parameter::is("d1/kernel")
  template <std::size_t N>
  static constexpr bool is(char const (&text)[N]) {
    return std::string_view(text, N - 1) == path_range<Path>;
  }
  /// True if the pattern is found in the path. Example: Parameter::has("feature*kernel")
  template <std::size_t N>
  static constexpr bool has(char const (&pattern)[N]) {
    if (!is_pattern({pattern, N - 1}))
      throw "ashlar::training::layout_map: has takes no regular expression, and only * is special; write * for any characters, and || for alternatives";
    return pattern_found({pattern, N - 1}, path_range<Path>);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A strategy gives layouts to parameters, outputs and batches. This one goes by rules. Parameters that no rule matches
/// are replicated, and outputs without a rule stay as they are. The axes of BatchAxes split the batch.
/// A strategy of your own has the same three members. If it derives from this one, as in `struct mine :
/// data_parallel<"data"> { ... };`, it defines only the members that differ. `Parameter` and `Output` are a
/// layout_place. If output_layout is void, the output stays as it is.
/// Example: template <class Parameter> using parameter_layout = std::conditional_t<Parameter::has("kernel"), A, B>;
template <class BatchAxes, class... Rules>
struct layout_map {
  using batch_axes = BatchAxes;
  template <class Parameter>
  using parameter_layout =
      typename train_detail::layout_by_rules<false, replicated<Parameter::rank>, Parameter, Rules...>::type;
  template <class Output>
  using output_layout = typename train_detail::layout_by_rules<true, void, Output, Rules...>::type;
};
/// Parameters laid out by rules; the others are replicated. Batch names the axes that split the batch.
template <dimension Batch, class... Rules>
using model_parallel = layout_map<meta_detail::names_in_t<Batch>, Rules...>;
/// Parameters replicated, the batch split.
template <dimension Batch>
using data_parallel = layout_map<meta_detail::names_in_t<Batch>>;
}  // namespace ashlar::training

namespace ashlar::train_detail {

template <class Strategy, int Rank>
struct layout_of_data
    : layout_detail::batch_layout<typename layout_detail::dim_from_names<typename Strategy::batch_axes>::type, Rank> {};
template <class Strategy, int Rank>
  requires requires { typename Strategy::template data_layout<Rank>; }
struct layout_of_data<Strategy, Rank> {
  using type = typename Strategy::template data_layout<Rank>;
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The layout of a batch of Rank dimensions under a strategy. The strategy's batch axes split the first dimension, unless it
/// has a member data_layout<Rank> of its own.
/// Example: data_layout<data_parallel<"data">, 4> is layout<"data", none, none, none>
template <class Strategy, int Rank>
using data_layout = typename train_detail::layout_of_data<Strategy, Rank>::type;

}  // namespace ashlar::training

namespace ashlar::train_detail {

inline constexpr int no_rule = -1, two_rules = -2;

// The number of the rule that serves the parameter, or the output, at a path. It is no_rule or two_rules if not exactly
// one does.
template <bool Output, class Path, class... Rules>
constexpr int rule_for() {
  int exact = no_rule, found = no_rule, i = 0;
  (((Rules::of_output != Output                      ? void()
     : Rules::range == path_range<Path>              ? void(exact = exact == no_rule ? i : two_rules)
     : pattern_found(Rules::range, path_range<Path>) ? void(found = found == no_rule ? i : two_rules)
                                                     : void()),
    ++i),
   ...);
  return exact != no_rule ? exact : found;
}
// A variable, which is evaluated once for each path. clang would call a function again in each dry run.
template <bool Output, class Path, class... Rules>
inline constexpr int rule_at = rule_for<Output, Path, Rules...>();

template <class Parameter, class... Rules>
struct two_patterns_match_one_parameter {
  static constexpr bool value = true;
};
template <class Parameter, class Layout, int Rank>
struct rule_has_another_rank {
  static constexpr bool value = is_layout_v<Layout> && !fits<Layout, Rank>;
};

// The layout of rule number Rule, or Otherwise if no rule matches. (In a class clang drops what follows a static_assert that fails.)
template <int Rule, class Otherwise, class Place, class... Rules>
consteval auto layout_of_rule() {
  using parameter = typename parameter_of<typename Place::path>::type;
  static_assert(
      Rule != two_rules || !two_patterns_match_one_parameter<parameter, Rules...>::value,
      "ashlar::training::layout_map: two rules match one parameter; name it by its whole path in one rule, or narrow the patterns");
  if constexpr (Rule >= 0) {
    using rules = slot_list<std::index_sequence_for<Rules...>, Rules...>;
    using given =
        typename decltype(pick<static_cast<std::size_t>(Rule)>(static_cast<rules*>(nullptr)))::type::layout_type;
    static_assert(
        !rule_has_another_rank<parameter, given, Place::rank>::value,
        "ashlar::training::layout_map: the rule's layout has another number of dimensions than the parameter or output; write one spec per dimension");
    return std::type_identity<std::conditional_t<fits<given, Place::rank>, given, Otherwise>>{};
  } else {
    return std::type_identity<Otherwise>{};
  }
}
template <bool Output, class Otherwise, class Place, class... Rules>
struct layout_by_rules
    : decltype(layout_of_rule<rule_for<Output, typename Place::path, Rules...>(), Otherwise, Place, Rules...>()) {};

template <class Parameter, class Layout, int Rank>
struct layout_of_strategy {
  static constexpr bool ok = fits<Layout, Rank>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::training::init: the strategy's parameter_layout is no layout with one spec for each dimension of the parameter; replicated<Parameter::rank> is one");
  }
};

// The layout of a parameter: its own, or else the strategy's.
template <class Strategy, class Path, class Weight>
struct chosen_layout {
  using given = typename Strategy::template parameter_layout<layout_place<Path, Weight::rank>>;
  using condition = layout_of_strategy<typename parameter_of<Path>::type, given, Weight::rank>;
  using type = std::conditional_t<hold<condition>(), given, replicated<Weight::rank>>;
};
template <class Strategy, class Path, int Rank, class Layout>
struct chosen_layout<Strategy, Path, laid_out_weight<Rank, Layout>> {
  using type = Layout;
};

template <class Model>
inline constexpr bool takes_rules = !requires { typename Model::layout_type; };

// True if the rule serves some parameter, or the output of some layer.
template <class Path, class Model, class... Rules>
constexpr bool serves(int rule) {
  if constexpr (!tree<Model>) {
    constexpr int found = rule_at<false, Path, Rules...>;  // two rules are an error of their own
    return takes_rules<Model> && (found == rule || found == two_rules);
  } else {
    return (Path::path.size && rule_at<true, Path, Rules...> == rule) ||
           []<template <class...> class S, class... M, std::size_t... I>(std::type_identity<S<M...>>,
                                                                         std::index_sequence<I...>, int r) {
             return (serves<member_path<Path, S<M...>, I>, M, Rules...>(r) || ...);
           }(std::type_identity<Model>{}, std::make_index_sequence<members_of<Model>::count>{}, rule);
  }
}

template <class Model, std::size_t Rule, class... Rules>
inline constexpr bool serves_some = serves<root, Model, Rules...>(static_cast<int>(Rule));

template <class Model, class B, class... R>
constexpr void check_rules(layout_map<B, R...>) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (
        [&]<class Rule, std::size_t J>(std::type_identity<Rule>, std::integral_constant<std::size_t, J>) {
          constexpr bool served = serves_some<Model, J, R...>;
          static_assert(
              Rule::has_pattern,
              "ashlar::training::rule: a key is no regular expression, and only * is special; write * for any characters, and a rule for each alternative");
          static_assert(
              served || Rule::of_output || !Rule::has_pattern,
              "ashlar::training::layout_map: a rule matches no parameter of the model; check the path, or leave the rule out");
          static_assert(
              served || !Rule::of_output || !Rule::has_pattern,
              "ashlar::training::layout_map: an output_rule matches no layer of the model; name a path above parameters, as \"d2\" is of \"d2/kernel\"");
        }(std::type_identity<R>{}, std::integral_constant<std::size_t, I>{}),
        ...);
  }(std::index_sequence_for<R...>{});
}

template <class T, class L, class Handle, int Rank>
constexpr auto first_value(Handle const& m, weight<Rank> const& w, prng_key key, call_site const& site) {
  shape const extents = checked_extents<L>(w.extent);
  index_t fan_in = Rank > 1 ? w.extent[Rank > 1 ? Rank - 2 : 0] : w.extent[0];
  index_t fan_out = w.extent[Rank - 1];
  for (int d = 0; d + 2 < Rank; ++d) fan_in *= w.extent[d], fan_out *= w.extent[d];
  switch (w.first) {
    case initializer::glorot_uniform: {
      T const limit = static_cast<T>(square_root(6.0 / static_cast<double>(fan_in + fan_out)));
      return random<T, L>(uniform_distribution<T>{-limit, limit}, m, extents, key, site);
    }
    case initializer::he_normal:
      return random<T, L>(normal_distribution<T>{T(0), static_cast<T>(square_root(2.0 / static_cast<double>(fan_in)))},
                          m, extents, key, site);
    case initializer::normal:
      return random<T, L>(normal_distribution<T>{T(0), static_cast<T>(w.deviation)}, m, extents, key, site);
    case initializer::zeros:
    case initializer::ones:
      break;
  }
  note_extents(backend_on<Handle>{}, m, extents, site);
  return filled<T, L>(m, extents, w.first == initializer::ones ? T(1) : T(0));
}

template <class Handle>
inline constexpr bool is_dry_run = false;
template <class... Axes>
inline constexpr bool is_dry_run<mesh<Axes...>> = true;
template <class M>
inline constexpr bool is_dry_run<abstract_mesh<M>> = true;

template <class Strategy, class T, class Path, class Handle, class Model>
constexpr auto init_at(Handle const& m, Model const& model, prng_key key, std::uint64_t& leaf, call_site const& w) {
  if constexpr (!tree<Model>) {
    length_of_path<Path>::say();
    using L = typename chosen_layout<Strategy, Path, Model>::type;
    return first_value<T, L>(m, model, fold_in(key, leaf++), w);
  } else {
    static_assert(
        equal_layers_of<Model> == 1 || is_dry_run<Handle>,
        "ashlar::training::init: equal_layers is one layer in place of many, for dry runs; write stack<N>(layer) on real ranks");
    return with_members(model, [&](auto const&... member) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return typename members_of<Model>::template rebind<decltype(init_at<Strategy, T, member_path<Path, Model, I>>(
            m, member, key, leaf, w))...>{
            init_at<Strategy, T, member_path<Path, Model, I>>(m, member, key, leaf, w)...};
      }(std::index_sequence_for<decltype(member)...>{});
    });
  }
}

// True if a leaf of a model is no parameter, such as a layer that does not name its members.
template <class X>
struct is_weight {
  static constexpr bool value = requires(X const& x) { []<int Rank>(weight<Rank> const&) {}(x); };
};
template <class Model>
struct leaves_of_model {
  static constexpr bool weights = !requires(Model const& m) { m.weights(); },
                        ok = weights && !meta_detail::some_leaf_is_not<is_weight, Model>;
  static constexpr void say() {
    static_assert(
        weights,
        "ashlar::training::init: it takes the weights of a network; write init<Strategy>(m, network.weights(), key)");
    static_assert(
        ok || !weights,
        "ashlar::training::init: a leaf of the model is no weight; a layer has a type parameter and a name for each member: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names(\"kernel\", \"bias\"); }");
  }
};

template <class Path, class F, class X>
constexpr void named_leaves(F&& f, X& x) {
  if constexpr (!tree<X>) {
    length_of_path<Path>::say();
    f(static_cast<char const*>(Path::path.c), x);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (named_leaves<member_path<Path, std::remove_const_t<X>, I>>(f, member<I>(x)), ...);
    }(std::make_index_sequence<members_of<std::remove_const_t<X>>::count>{});
  }
}

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Makes a model's parameters on a mesh, in the layouts of a strategy. Their initial values are the same for every
/// strategy and mesh: parameter i draws with fold_in(key, i).
/// Cost: no communication.
/// Error: a rule that matches no parameter, an output_rule that matches no layer, and two rules that match one do not
/// compile. Neither does a layout of another rank or with an axis that the mesh lacks, or a model with a leaf that is
/// no weight.
/// Example: init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1})
template <class Strategy, class T = float, class Handle, class Model>
constexpr auto init(Handle const& m, Model const& model, prng_key key, call_site w = call_site::current()) {
  if constexpr (!meta_detail::hold<train_detail::leaves_of_model<Model>>()) {
    return model;
  } else {
    if constexpr (requires { train_detail::check_rules<Model>(Strategy{}); })
      train_detail::check_rules<Model>(Strategy{});
    std::uint64_t leaf = 0;
    return train_detail::init_at<Strategy, T, train_detail::root>(m, model, key, leaf, w);
  }
}

/// Calls f(path, leaf) on each leaf of a tree, in order. A path is a text such as "d1/kernel".
/// Example: for_each_named([](char const* path, auto const&) { std::cout << path << "\n"; }, parameters);
template <class F, class X>
constexpr void for_each_named(F&& f, X& x) {
  train_detail::named_leaves<train_detail::root>(f, x);
}

}  // namespace ashlar::training
