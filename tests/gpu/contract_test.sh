#!/usr/bin/env bash
# The CUDA backend on a real GPU: the bits of OpenMP, the numbers of cuRAND, options a second, occupancy.
#
#   tests/gpu/contract_test.sh [--build FOLDER] [--json FILE] [--shim]
#
# --build FOLDER  where the programs are, or are built when they are not there (build/gpu, or the build whose ctest runs this)
# --json FILE     also writes what was measured there
# --shim          tries the script itself on the stand-in of tests/shim, small; FOLDER must be built
#
# Takes a few minutes, most of them for building; every step has a time limit and together they stay under 10 minutes. Exits 0 when all
# is equal, 77 without a GPU, 1 otherwise. Needs nothing from the network; where programs are built it needs nvcc.
set -u
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=$source_dir/build/gpu
[ -z "${RATION_BUILD:-}" ] || build=$RATION_BUILD
json= shim=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 && shift 2 ;;
    --json) json=$2 && shift 2 ;;
    --shim) shim=_shim && shift ;;
    *) echo "contract_test.sh: unknown word '$1'" >&2 && exit 2 ;;
    esac
done

device_there() {
    [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }
}

find_nvcc() {
    local known
    for known in "${NVCC:-}" "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
        if [ -n "$known" ] && "$known" --version >/dev/null 2>&1; then
            echo "$known"
            return
        fi
    done
}

# The device's architecture alone, which halves the time of building; all when it cannot be asked.
architecture() {
    nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ' | grep -E '^[0-9]{2,3}$' ||
        echo '80;90;100'
}

build_programs() {
    local nvcc
    nvcc=$(find_nvcc)
    if [ -z "$nvcc" ]; then
        echo "skipped: needs nvcc to build, or --build FOLDER with the programs"
        exit 77
    fi
    mkdir -p "$build"
    if ! { timeout 60 cmake -S "$source_dir" -B "$build" -DCMAKE_BUILD_TYPE=Release -DRATION_TESTS=ON -DRATION_CUDA=ON \
        "-DCMAKE_CUDA_COMPILER=$nvcc" "-DRATION_CUDA_ARCHITECTURES=$(architecture)" &&
        timeout 300 cmake --build "$build" --parallel --target ration_gpu_tests gpu_measure; } >"$build/gpu.log" 2>&1; then
        tail -n 20 "$build/gpu.log"
        echo "FAILED: the build in $build (gpu.log there)"
        exit 1
    fi
}

failures=0
# step NAME SECONDS COMMAND...: one line with the result and the seconds; what the command said only when it failed.
step() {
    local name=$1 limit=$2 began=$SECONDS status=0 said
    shift 2
    said=$(timeout "$limit" "$@" 2>&1) || status=$?
    if [ "$status" = 0 ]; then
        printf '%-44s passed  %4d s\n' "$name" $((SECONDS - began))
    elif [ "$status" = 77 ]; then
        printf '%-44s skipped: %s\n' "$name" "$(printf '%s' "$said" | grep -m 1 '^skipped' || echo 'no reason given')"
    else
        printf '%s\n' "$said" | tail -n 30
        printf '%-44s FAILED (exit %d)\n' "$name" "$status"
        failures=$((failures + 1))
    fi
}

# Prints the table; fails where a figure is missing or the bits differ.
TABLE='
import json, sys
run = json.load(open(sys.argv[1], encoding="utf-8"))
print("%s, compute %s, %d multiprocessors" % (run["device"], run["compute"], run["multiprocessors"]))
print("%-12s %8s %22s %22s %8s %16s %s" % ("kernel", "chains", "openmp Moptions/s", "cuda Moptions/s", "ratio",
                                          "warps of most", "equal"))
for p in run["programs"]:
    host, device = (p[name]["million_options_per_s"] for name in ("openmp", "cuda"))
    print("%-12s %8d %22.1f %22.1f %8.2f %9d of %3d %s" % (p["kernel"], p["chains"], host, device, device / host,
          p["resident_warps"], p["resident_warps_most"], "yes" if p["equal"] else "NO"))
sys.exit(0 if len(run["programs"]) == 2 and all(p["equal"] for p in run["programs"]) else 1)
'

# Ninja and make put programs at the same place.
measure=$build/tests/gpu/device/gpu_measure
contract=$build/tests/gpu/device/ration_gpu_tests
size=full
if [ -n "$shim" ]; then
    measure=$build/tests/gpu/gpu_measure_shim
    contract=$build/tests/contract/ration_backend32_tests
    size=small
elif ! device_there; then
    echo "skipped: needs a GPU"
    exit 77
elif [ ! -x "$measure" ] || [ ! -x "$contract" ]; then
    build_programs
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$shim" ]; then
    step "bits of OpenMP on a program" 120 "$contract" --gtest_filter='*CudaBits.EqualOpenmp/3' --gtest_brief=1
else
    step "bits of OpenMP on ten programs" 150 "$contract" --gtest_brief=1
    step "numbers of cuRAND on the device" 90 env "RATION_SOURCE=$source_dir" "NVCC=$(find_nvcc)" \
        python3 "$source_dir/tests/contract/curand_test.py"
    sanitizer=$(command -v compute-sanitizer || find /usr/local/cuda/bin -name compute-sanitizer 2>/dev/null | head -n 1)
    if [ -n "$sanitizer" ]; then
        for tool in memcheck racecheck synccheck; do
            step "compute-sanitizer $tool" 60 "$sanitizer" --tool "$tool" --error-exitcode 9 "$measure" small
        done
    else
        echo "compute-sanitizer is not here: left out"
    fi
fi
status=0
timeout 120 "$measure" "$size" >"$work/run.json" || status=$?
if [ "$status" = 0 ] || [ "$status" = 3 ]; then
    python3 -c "$TABLE" "$work/run.json" || failures=$((failures + 1))
else
    echo "FAILED: what measures (exit $status)"
    failures=$((failures + 1))
fi
[ -z "$json" ] || cp "$work/run.json" "$json" || failures=$((failures + 1))
echo "$failures failures, $SECONDS s"
[ "$failures" = 0 ]
