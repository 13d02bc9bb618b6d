#!/usr/bin/env python3
"""build/bench/fidelity --rows --predict from another folder: every kind of table, spelling of CSV and kind of break."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("RATION_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
TOOL = BUILD / "bench" / "fidelity"
AGG = "row,system,backend,backend_version,model,precision,gemm_q,moe_q,isl,osl,concurrency,batch,tp,pp,adp,moe_tp,moe_ep,ttft_ms,tpot_ms"
RUN = "7,h100_sxm,vllm,0.18.0,meta-llama/Llama-3.1-8B-Instruct,fp8,fp8,fp8,1024,1024,16,16,1,1,1,1,1,,"
wrong = []


def check(true, what):
    if not true:
        wrong.append(what)


def run(text, folder, name="rows.csv"):
    """Predicts a text; (exit code, stderr, rows of the answer or None)."""
    path = pathlib.Path(folder) / name
    out = pathlib.Path(folder) / "out.csv"
    out.unlink(missing_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = subprocess.run([str(TOOL), "--rows", str(path), "--predict", str(out)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env={"PATH": "/nowhere"})
    rows = list(csv.DictReader(out.open())) if out.exists() else None
    return done.returncode, done.stderr, rows


def spellings(folder):
    code, said, plain = run("%s\n%s\n" % (AGG, RUN), folder)
    check(code == 0 and plain and plain[0]["row"] == "7", "plain: %d %s" % (code, said))
    check(plain and 3 < float(plain[0]["tpot_ms"]) < 12, "a TPOT of an 8B model at 16 clients: %s" % plain)
    check("1 of 1 rows answered" in said, said)
    quoted = '"' + '","'.join(RUN.split(",")) + '"'
    shuffled = [AGG.split(",")[::-1], RUN.split(",")[::-1]]
    for what, text in (("BOM and CRLF", b"\xef\xbb\xbf" + ("%s\r\n%s\r\n" % (AGG, RUN)).encode()),
                       ("no last line break", "%s\n%s" % (AGG, RUN)), ("quotes", "%s\n%s\n" % (AGG, quoted)),
                       ("columns in another order", "\n".join(",".join(line) for line in shuffled)),
                       ("an empty line", "%s\n%s\n\n" % (AGG, RUN))):
        code, said, rows = run(text, folder)
        check(code == 0 and rows == plain, "%s: %d %s %s" % (what, code, said, rows))
    few = "model,system,backend,isl,osl,tp,batch,precision,adp\nLlama-3.1-8B,h100_sxm,vllm,1024,1024,1,16,fp8,1\n"
    code, said, rows = run(few, folder)
    same = code == 0 and rows[0]["row"] == "1" and rows[0]["tpot_ms"] == plain[0]["tpot_ms"]
    check(same, "few columns: %s %s" % (said, rows))


def unknown(folder):
    text = "%s\n%s\n%s\n" % (AGG, RUN, RUN.replace("Llama-3.1-8B", "Nobody-9B"))
    code, said, rows = run(text, folder)
    blank = code == 0 and len(rows) == 2 and rows[1]["tpot_ms"] == ""
    check(blank and "1 of 2 rows answered" in said, "unknown model: %s %s" % (said, rows))


def others(folder):
    """The other kinds of table, with the least columns, measured ones blank."""
    serving = ("row_id,engine,model,gpu,n_gpus,dtype,tp,isl,osl,batching,metric,value,notes\n"
               'sv1,"TensorRT-LLM 1.0",Llama-3.3-70B,H200-SXM-141GB,2,fp8,2,128,2048,inflight,output_tokens_per_s,,"a, b"\n')
    memory = "model,gpu,tp,gpu_mem_util,kv_cache_gib\nmeta-llama/Llama-3.1-8B-Instruct,h100,1,0.9,\n"
    power = ("row_id,kind,model,gpu,n_gpus,dtype,scenario,max_num_seqs,power_w\n"
             "pw1,llm_serving,Qwen/Qwen3-32B,H100-SXM-80GB,2,bfloat16,gpqa,64,\n")
    for text, column, low, high in ((serving, "value", 2000, 12000), (memory, "kv_cache_gib", 51.38 * 0.95, 51.38 * 1.05),
                                    (memory, "weights_gib", 14.99 * 0.98, 14.99 * 1.02), (power, "power_w", 500, 1400)):
        code, said, rows = run(text, folder)
        check(code == 0 and rows and low <= float(rows[0][column]) <= high, "%s: %s %s" % (column, said, rows))


def broken(folder):
    many = RUN.replace("1024,1024", "many,1024")
    for text, parts in ((("%s\n%s,9\n" % (AGG, RUN)), ("line 2", "found 20 fields", "expected 19")),
                        (("%s\n%s\n%s\n" % (AGG, RUN, many)), ("line 3", "isl", '"many"', "expected a number")),
                        (("%s\n%s\n" % (AGG, RUN.replace("1024,1024", "-3,1024"))), ("line 2", "isl", "found -3", "expected 1")),
                        (("%s\n%s\n" % (AGG, RUN.replace("vllm", '"vllm'))), ("line 2", "quote")),
                        ("a,b\n1,2\n", ("line 1", "no known table")), ("", ("line 1", "found nothing")), (b"a\0b\n", ("NUL",)),
                        (("%s,isl\n" % AGG), ("line 1", '"isl" twice'))):
        code, said, rows = run(text, folder)
        refused = code == 2 and rows is None and "rows.csv" in said
        check(refused and all(p in said for p in parts), "%r: %d %s" % (text[-60:], code, said))
    done = subprocess.run([str(TOOL), "--rows", "absent.csv", "--predict", "o"], cwd=folder, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 2 and "absent.csv" in done.stderr, done.stderr)
    for words in (["--rows", "x"], ["--what"], ["--predict", "x"], ["--rows"]):
        done = subprocess.run([str(TOOL), *words], cwd=folder, stderr=subprocess.PIPE, text=True)
        check(done.returncode == 2 and "usage" in done.stderr, "%s: %s" % (words, done.stderr))


def main():
    with tempfile.TemporaryDirectory() as folder:
        spellings(folder)
        unknown(folder)
        others(folder)
        broken(folder)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
