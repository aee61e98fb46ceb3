#!/bin/bash
# limited_memory.sh MEGABYTES COMMAND...: runs a command whose processes together may have so much memory, in a cgroup of their own. A
# process that needs more is killed. The status is 77 if this system gives no such group.
bytes=$(($1 << 20))
shift
left_out() {
  echo "left out: $1"
  exit 77
}
root=/sys/fs/cgroup
if [ -w $root/memory/cgroup.procs ]; then
  group=$root/memory/ashlar_test_$$ limit=memory.limit_in_bytes swap=memory.memsw.limit_in_bytes swap_bytes=$bytes
elif [ -w $root/cgroup.procs ] && grep -qw memory $root/cgroup.subtree_control; then
  group=$root/ashlar_test_$$ limit=memory.max swap=memory.swap.max swap_bytes=0
else
  left_out "a cgroup that limits memory cannot be made here"
fi
mkdir "$group" || left_out "a cgroup cannot be made here"
trap 'rmdir "$group"' EXIT
echo "$bytes" > "$group/$limit" || left_out "the cgroup takes no limit of memory"
[ ! -w "$group/$swap" ] || echo "$swap_bytes" > "$group/$swap" || left_out "the cgroup takes no limit of swap space"
(
  echo "$BASHPID" > "$group/cgroup.procs" && exec "$@"
)
status=$?
# A process of the launcher may leave the group a little later.
for _ in $(seq 100); do
  [ -n "$(< "$group/cgroup.procs")" ] || break
  sleep 0.1
done
exit $status
