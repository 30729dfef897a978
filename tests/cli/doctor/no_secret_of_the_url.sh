# A base URL may hold a password by mistake: neither doctor nor the refusal shows it.
for url in http://user:s3cret@127.0.0.1:9/v1 ftp://user:s3cret@127.0.0.1/v1 user:s3cret@host; do
    export OPENAI_BASE_URL=$url SSD_WHATIF_MODEL=m
    ssd-whatif doctor >out 2>err || :
    ssd-whatif predict --temp 60 --engine llm >>out 2>>err || echo "exit code $?"
    grep -c s3cret out err || :
    grep '^ssd-whatif: the base' err
done
