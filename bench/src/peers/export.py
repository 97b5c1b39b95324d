"""A script that a user would write instead of the exporter. python3 export.py URL FOLDER ZONES FROM TO FORMAT (times in ms)"""
import os
import resource
import sys
from datetime import datetime, timezone

import httpx
import orjson

url, folder, zones, start, end, form = sys.argv[1:]
LIMIT = 10_000
client = httpx.Client(headers={"AccessKey": os.environ["CDN_ACCESS_KEY"]}, timeout=60, transport=httpx.HTTPTransport(retries=4))


def iso(ms):
    return datetime.fromtimestamp(int(ms) / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def pages(zone):
    offset = 0
    while True:
        query = {"from": iso(start), "to": iso(end), "limit": LIMIT, "offset": offset, "order": "asc"}
        response = client.get(f"{url}/v2/pullzones/{zone}/logs", params=query)
        response.raise_for_status()
        page = orjson.loads(response.content)
        yield page["data"] or []
        offset += LIMIT
        if not page["pagination"]["hasMore"]:
            return


def to_ndjson(zone):
    import zstandard

    rows = 0
    with open(f"{folder}/{zone}.ndjson.zst", "wb") as file, zstandard.ZstdCompressor(level=3).stream_writer(file) as out:
        for page in pages(zone):
            out.write(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page))
            rows += len(page)
    return rows


def to_parquet(zone):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    writer = None
    for page in pages(zone):
        for row in page:
            row["timestamp"] = datetime.fromisoformat(row["timestamp"])
        table = pa.Table.from_pylist(page, schema=writer and writer.schema)
        writer = writer or pq.ParquetWriter(f"{folder}/{zone}.parquet", table.schema, compression="zstd")
        writer.write_table(table)
        rows += len(page)
    if writer:
        writer.close()
    return rows


print(sum((to_parquet if form == "parquet" else to_ndjson)(zone) for zone in zones.split(",")))
if "USAGE" in os.environ:
    used = resource.getrusage(resource.RUSAGE_SELF)
    usage = {"cpuMs": (used.ru_utime + used.ru_stime) * 1000, "peak": used.ru_maxrss * 1024}
    open(os.environ["USAGE"], "wb").write(orjson.dumps(usage))
