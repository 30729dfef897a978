# Read by a case: try COMMAND... shows the command, all it prints, and its exit code.
try() {
    printf '$'
    for word; do
        case $word in
        *[!A-Za-z0-9_./,:=@%-]* | '') printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    code=0
    "$@" 2>&1 || code=$?
    echo "exit code $code"
}
