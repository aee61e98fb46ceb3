template <class T>
struct one {
  static_assert(sizeof(T) == 0, "the first sentence");
};
template <class T>
struct two {
  static_assert(sizeof(T) == 0, "the second sentence");
};
namespace first {
// error: the first sentence
two<int> wrong;
}  // namespace first
namespace second {
// error: the second sentence
one<int> wrong;
}  // namespace second
