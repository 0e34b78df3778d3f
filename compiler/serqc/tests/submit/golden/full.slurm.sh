#!/bin/sh
# Written by `serqc submit`: a sweep in 12 parts.
#SBATCH --job-name=load-sweep
#SBATCH --array=1-12%5
#SBATCH --cpus-per-task=4
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --chdir="/shared/it's here"
#SBATCH --partition=cpu
#SBATCH -t 02:00:00
#SBATCH --comment 'two words'

tries=0
until '/opt/sim 1/sim' --sweep 'thr=1, 512' --seeds 1..20 --set 'x=$(y)$$z' --slo ttft:0.2 --trace-in "it's \"é\"\\.csv" --jobs 4 \
    --shard "$SLURM_ARRAY_TASK_ID/12" --out 'all runs'/part-"$SLURM_ARRAY_TASK_ID"-of-12
do
    code=$?
    case $code in
        # Another process is at work on this part.
        75) sleep 10 ;;
        # The options are wrong.
        2) exit 2 ;;
        *)
            [ $tries -lt 7 ] || exit $code
            tries=$((tries + 1)) ;;
    esac
done
