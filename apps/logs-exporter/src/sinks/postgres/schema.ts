import { dayMs } from '@cdn/kit/time'
import { type ColumnType, columns } from '../../rows/columns.ts'
import { isoTime } from '../../segments/segment.ts'

/** Rows, partitioned by day (UTC). */
export const rowsTable = 'cdn_logs'
/** One row per segment. The unique key decides which writer was first. */
export const segmentsTable = 'cdn_log_segments'

/** The SQL type of each column type. */
export const sqlTypes: Readonly<Record<ColumnType, string>> = {
  timestamp: 'timestamptz',
  int32: 'integer',
  int64: 'bigint',
  string: 'text',
  json: 'json', // not jsonb: the text must stay the same
}

/** The SQL name of a column, such as `body_bytes_sent` for `bodyBytesSent`. It needs no quotes. */
export function sqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The columns of rows in SQL, in the order of `columns`. */
export const columnNames = columns.map(({ name }) => sqlName(name))

/** Key of the advisory lock that serializes migrations. */
const migrationLock = 7_351_824

/**
 * Creates the tables, and adds columns that are new in the contract. Runs in one transaction. If repeated, it changes nothing.
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
  rows bigint not null,
  bytes bigint not null,
  sha256 text not null,
  unique (zone, window_from, window_to, revision)
);
create table if not exists ${rowsTable} (segment bigint not null, line integer not null, timestamp timestamptz not null)
  partition by range (timestamp);
${columns.map(({ name, type }) => `alter table ${rowsTable} add column if not exists ${sqlName(name)} ${sqlTypes[type]};`).join('\n')}
create index if not exists ${rowsTable}_segment on ${rowsTable} (segment, line);
create index if not exists ${rowsTable}_zone on ${rowsTable} (pull_zone_id, timestamp);
commit;`

/**
 * Selects `is_current`: whether the migration has nothing to do. The migration takes locks even if it changes nothing, and then
 * readers and other writers wait.
 */
export const currentQuery = {
  text: `
select to_regclass('${segmentsTable}') is not null
  and to_regclass('${rowsTable}_segment') is not null and to_regclass('${rowsTable}_zone') is not null
  and $1::text[] <@ array(
    select attname::text from pg_attribute where attrelid = to_regclass('${rowsTable}') and not attisdropped
  ) as is_current`,
  values: [columnNames],
}

/** The table of the day (UTC) that contains a time in ms: `cdn_logs_20260617`. */
export function partitionName(at: number): string {
  return `${rowsTable}_${isoTime(at).slice(0, 10).replaceAll('-', '')}`
}

/**
 * Returns SQL that creates the partition of a day. The partition is attached after it is complete, so that readers and writers of
 * other days do not wait.
 *
 * @param at a time of the day, in ms
 */
export function partition(at: number): string {
  const from = at - (at % dayMs)
  const [start, end] = [from, from + dayMs].map(isoTime)
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
