import { type ColumnType, columns } from '../../rows/columns.ts'

/** Rows, partitioned by day (UTC). */
export const rowsTable = 'cdn_logs'
/** One row a segment: its unique key decides who was first. */
export const segmentsTable = 'cdn_log_segments'
/** The newest epoch that has written to a zone. */
export const fencesTable = 'cdn_log_fences'

const types: Readonly<Record<ColumnType, string>> = {
  timestamp: 'timestamptz',
  int32: 'integer',
  int64: 'bigint',
  string: 'text',
  json: 'json', // not jsonb: the text must come back as it was written
}

/** The name of a column in SQL, which needs no quotes: `bodyBytesSent` is `body_bytes_sent`. */
export function sqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The columns of rows in SQL, in the order of `columns`. */
export const columnNames = columns.map(({ name }) => sqlName(name))

/** The key of the advisory lock that lets one migration run at a time. */
const migrationLock = 7_351_824

/**
 * Makes the tables, and adds columns that the contract has gained since; running it again changes nothing. One transaction.
 */
export const migration = `
begin;
select pg_advisory_xact_lock(${migrationLock});
create table if not exists ${segmentsTable} (
  id bigint generated always as identity primary key,
  zone bigint not null,
  window_from timestamptz not null,
  window_to timestamptz not null,
  revision integer not null,
  source text not null,
  rows bigint not null,
  bytes bigint not null,
  sha256 text not null,
  epoch bigint not null,
  unique (zone, window_from, window_to, revision)
);
create table if not exists ${fencesTable} (zone bigint primary key, epoch bigint not null);
create table if not exists ${rowsTable} (segment bigint not null, line integer not null, timestamp timestamptz not null)
  partition by range (timestamp);
${columns.map(({ name, type }) => `alter table ${rowsTable} add column if not exists ${sqlName(name)} ${types[type]};`).join('\n')}
create index if not exists ${rowsTable}_segment on ${rowsTable} (segment, line);
create index if not exists ${rowsTable}_zone on ${rowsTable} (pull_zone_id, timestamp);
commit;`

/**
 * Whether there is nothing to make: `is_current`. A change that changes nothing takes the same locks as one that does, for which readers
 * and other writers queue.
 */
export const looksCurrent = {
  text: `
select to_regclass('${segmentsTable}') is not null and to_regclass('${fencesTable}') is not null
  and to_regclass('${rowsTable}_segment') is not null and to_regclass('${rowsTable}_zone') is not null
  and $1::text[] <@ array(
    select attname::text from pg_attribute where attrelid = to_regclass('${rowsTable}') and not attisdropped
  ) as is_current`,
  values: [columnNames],
}

/** The table of the day (UTC) that holds a time in ms: `cdn_logs_20260617`. */
export function partitionName(at: number): string {
  return `${rowsTable}_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`
}

/**
 * Makes the partition of a day. It is attached when it is complete, so that nobody who reads or writes other days waits.
 *
 * @param at a time of the day, in ms
 */
export function partition(at: number): string {
  const day = 86_400_000
  const from = at - (at % day)
  const [start, end] = [from, from + day].map((time) => new Date(time).toISOString())
  const name = partitionName(at)
  return `
begin;
select pg_advisory_xact_lock(${migrationLock});
do $$ begin
  if to_regclass('${name}') is null then
    create table ${name} (like ${rowsTable} including defaults including constraints);
    alter table ${rowsTable} attach partition ${name} for values from ('${start}') to ('${end}');
  end if;
end $$;
commit;`
}
