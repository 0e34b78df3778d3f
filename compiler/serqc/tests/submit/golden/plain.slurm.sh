#!/bin/sh
# Written by `serqc submit`: a sweep in 8 parts.
#SBATCH --job-name=plain
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append

tries=0
until ./sim --sweep 'lambda=0.5,0.8' --seeds 1..20 --jobs 1 \
    --shard "$SLURM_ARRAY_TASK_ID/8" --out results/part-"$SLURM_ARRAY_TASK_ID"-of-8
do
    code=$?
    case $code in
        # Another process is at work on this part.
        75) sleep 10 ;;
        # The options are wrong.
        2) exit 2 ;;
        *)
            [ $tries -lt 3 ] || exit $code
            tries=$((tries + 1)) ;;
    esac
done
