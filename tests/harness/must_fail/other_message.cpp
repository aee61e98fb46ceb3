namespace mistake {
// error: the expected sentence
static_assert(false, "another sentence");
}  // namespace mistake
