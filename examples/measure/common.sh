# Functions of the wrappers beside. Sourced by them, not run.

# Prints its arguments as one JSON string.
json_text() {
  printf '%s\n' "$*" | tr '\n\t\r' '   ' | sed 's/[\\"]/\\&/g; s/ *$//; s/^/"/; s/$/"/' | tr -d '\001-\037'
}

# Prints the numbers of standard input, a line each, with commas between them.
with_commas() {
  paste -s -d , -
}

# Seconds since the epoch.
now() {
  date +%s
}

# fail MESSAGE: what a tool says of this model. A candidate that cannot be built or run is invalid
# (exit status 3); that float32 cannot is trouble of the machine.
fail() {
  echo "$*" >&2
  if [ "$HALFTONE_ROLE" = candidate ]; then
    exit 3
  fi
  exit 1
}

# answer LATENCIES COMPILE_S RUNTIME DEVICE OUTPUTS: writes the result. LATENCIES: milliseconds with
# commas; OUTPUTS: a folder, or nothing.
answer() {
  printf '{"halftone_measure":1,"status":"ok","latency_ms":[%s],"compile_s":%s,"runtime":%s,"device":%s,"outputs":%s}\n' \
    "$1" "$2" "$(json_text "$3")" "$(json_text "$4")" "$(json_text "$5")" > "$HALFTONE_RESULT"
}
