/** What the workers of a fleet share, in PostgreSQL. Applied at every start; each statement may be repeated. */
export const tables = /* sql */ `
create schema if not exists cdn_logs_exporter;

-- The zones, and who works on them. Leases end by the clock of the database, the only one that all workers share.
create table if not exists cdn_logs_exporter.zones (
  zone        text primary key,
  retired     boolean not null default false,  -- no longer in the configuration
  owner       text,                            -- who has it, or had it last; the epoch decides
  epoch       bigint not null default 0,       -- grows with each owner; every write names it
  lease_until timestamptz,                     -- null: given back
  next_due    float8 not null default '-infinity',  -- ms since 1970 by the clock of the platform, like all that follow
  deadline    float8 not null default '-infinity',
  position    float8,                          -- the end of what follows each other without an open window
  quiet_until timestamptz                      -- when the rate limit is free of earlier owners' requests; null: not said
) with (fillfactor = 50);
-- Few zones are due at a time; those are sorted by their deadline.
create index if not exists zones_by_due on cdn_logs_exporter.zones (next_due) where not retired;

-- The ledger. The end leads the key: what is asked for is always near the end of what is there.
create table if not exists cdn_logs_exporter.windows (
  zone text, end_ms float8, start_ms float8, rows float8, next_revision int not null, source text not null,
  looked_at float8 not null, look_due float8,
  primary key (zone, end_ms, start_ms)
);
create index if not exists windows_by_look on cdn_logs_exporter.windows (zone, look_due) where look_due is not null;

create table if not exists cdn_logs_exporter.gaps (
  zone text, end_ms float8, start_ms float8 not null, reason text not null, noticed_at float8 not null,
  primary key (zone, end_ms)
);

-- Refuses a write of an owner that is no more; until the end of its transaction nobody else becomes the owner.
create or replace function cdn_logs_exporter.fence(in_zone text, in_epoch bigint) returns void language plpgsql as $$
begin
  perform 1 from cdn_logs_exporter.zones where zone = in_zone and epoch = in_epoch for no key update;
  if not found then raise exception 'epoch % of zone % is over', in_epoch, in_zone using errcode = 'CDN01'; end if;
end $$;

-- Moves the position of a zone over the windows and gaps that follow it.
create or replace function cdn_logs_exporter.advance(in_zone text) returns void language plpgsql as $$
declare
  at float8 := (select position from cdn_logs_exporter.zones where zone = in_zone);
  onward float8;
begin
  loop
    select max(end_ms) into onward from (
      select end_ms from cdn_logs_exporter.windows where zone = in_zone and end_ms > at and start_ms <= at
      union all
      select end_ms from cdn_logs_exporter.gaps where zone = in_zone and end_ms > at and start_ms <= at
    ) as follows;
    exit when onward is null;
    at := onward;
  end loop;
  update cdn_logs_exporter.zones set position = at where zone = in_zone and position < at;
end $$;

create or replace function cdn_logs_exporter.begin(in_zone text, in_epoch bigint, start float8) returns void language plpgsql as $$
begin
  perform cdn_logs_exporter.fence(in_zone, in_epoch);
  update cdn_logs_exporter.zones set position = start where zone = in_zone;
  perform cdn_logs_exporter.advance(in_zone);
end $$;

create or replace function cdn_logs_exporter.record(in_epoch bigint, state cdn_logs_exporter.windows) returns void language plpgsql as $$
begin
  perform cdn_logs_exporter.fence(state.zone, in_epoch);
  delete from cdn_logs_exporter.windows where zone = state.zone and end_ms = state.end_ms and start_ms = state.start_ms;
  insert into cdn_logs_exporter.windows select state.*;
  perform cdn_logs_exporter.advance(state.zone);
end $$;

-- Gaps that touch become one.
create or replace function cdn_logs_exporter.record_gap(in_epoch bigint, gap cdn_logs_exporter.gaps) returns void language plpgsql as $$
begin
  perform cdn_logs_exporter.fence(gap.zone, in_epoch);
  with touching as (
    delete from cdn_logs_exporter.gaps
    where zone = gap.zone and start_ms <= gap.end_ms and end_ms >= gap.start_ms
    returning start_ms, end_ms
  )
  select least(gap.start_ms, min(start_ms)), greatest(gap.end_ms, max(end_ms)) into gap.start_ms, gap.end_ms from touching;
  insert into cdn_logs_exporter.gaps select gap.*;
  perform cdn_logs_exporter.advance(gap.zone);
end $$;

-- Most of the time there is nothing to forget, and then nothing is written.
create or replace function cdn_logs_exporter.forget(in_zone text, in_epoch bigint, before float8) returns void language plpgsql as $$
begin
  if exists (select from cdn_logs_exporter.windows where zone = in_zone and end_ms < before) then
    perform cdn_logs_exporter.fence(in_zone, in_epoch);
    delete from cdn_logs_exporter.windows where zone = in_zone and end_ms < before;
  end if;
end $$;

-- Says for how long requests of the owner may count against the rate limit; null where it cannot say.
create or replace function cdn_logs_exporter.keep_quiet(in_zone text, in_epoch bigint, ms float8) returns void language plpgsql as $$
begin
  perform cdn_logs_exporter.fence(in_zone, in_epoch);
  update cdn_logs_exporter.zones set quiet_until = clock_timestamp() + ms * interval '1 millisecond' where zone = in_zone;
end $$;
`
