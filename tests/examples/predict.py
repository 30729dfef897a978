"""The same from Python: python3 predict.py [QUESTION]"""
import ctypes, json, sys

lib = ctypes.CDLL("libssdwhatif.so.0")
libc = ctypes.CDLL(None)

class Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("msg", ctypes.c_char * 768)]

question = sys.argv[1] if len(sys.argv) > 1 else "p99.99 of a TLC SSD at 60 C"
text, err = ctypes.c_char_p(), Err()
if lib.wi_ask_json(None, question.encode(), ctypes.byref(text), ctypes.byref(err)):
    sys.exit(err.msg.decode())
answer = json.loads(text.value)
libc.free(text)
for row in answer["tail_latency"]:
    print("p%g %+.1f %% (%+.1f to %+.1f)" % tuple(row[k] for k in ("percentile", "change_pct", "low_pct", "high_pct")))
print(answer["domain"]["status"])
