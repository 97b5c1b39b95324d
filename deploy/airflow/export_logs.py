"""Exports request logs hour by hour. Each shard is an idempotent task. It skips windows that are already in the sink.

Exit codes of a task: 0 done; 1 repeat it (a window is not closed yet, or there was a transient error); 6 ranges are lost, see stdout.
Do not export a zone with both this DAG and a daemon: rows are not duplicated, but requests exceed the rate limit.
"""

from datetime import datetime, timedelta

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import dag

SHARDS = 4


@dag(schedule="@hourly", start_date=datetime(2026, 6, 1), catchup=False, max_active_runs=1)
def export_logs():
    for shard in range(SHARDS):
        KubernetesPodOperator(
            task_id=f"export_{shard}",
            image="cdn-logs-exporter:latest",
            arguments=[
                "backfill",
                "--config",
                "/etc/cdn-logs-exporter/config.yaml",
                "--shard",
                f"{shard}/{SHARDS}",
                "--from",
                "{{ data_interval_start | ts }}",
                "--to",
                "{{ data_interval_end | ts }}",
            ],
            retries=12,
            retry_delay=timedelta(minutes=5),
            retry_exponential_backoff=True,
        )


export_logs()
