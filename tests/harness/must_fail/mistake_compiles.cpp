namespace mistake {
// error: anything
int wrong = 0;
}  // namespace mistake
