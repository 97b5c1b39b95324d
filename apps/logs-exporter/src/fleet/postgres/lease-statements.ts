const milliseconds = (parameter: string) => `${parameter} * interval '1 millisecond'`

/** Takes zones that are due: owner, now, length of a lease, quiet after a dead owner, time left to the last owner, how many. */
export const claim = `
  with next as materialized (
    select zone from cdn_logs_exporter.zones
    where not retired and next_due <= $2::float8 and (
      lease_until < clock_timestamp()
      or lease_until is null and (owner is null or owner = $1 or next_due <= $2::float8 - $5::float8)
    )
    order by deadline, zone
    limit $6
    for update skip locked
  )
  update cdn_logs_exporter.zones as z
  set owner = $1, epoch = z.epoch + 1, lease_until = clock_timestamp() + ${milliseconds('$3::float8')},
    quiet_until = case when z.lease_until is null then z.quiet_until
      else greatest(z.quiet_until, z.lease_until + ${milliseconds('$4::float8')}) end
  from next where z.zone = next.zone
  returning z.zone, z.epoch`

/** Renews leases: zones, epochs, length. Those that are not given back are lost. */
export const renewal = `
  update cdn_logs_exporter.zones as z
  set lease_until = clock_timestamp() + ${milliseconds('$3::float8')}
  from unnest($1::text[], $2::bigint[]) as mine (zone, epoch)
  where z.zone = mine.zone and z.epoch = mine.epoch and z.lease_until is not null
  returning z.zone, z.epoch`

/** Gives a zone back: zone, epoch, next due, deadline. */
export const release = `
  update cdn_logs_exporter.zones
  set lease_until = null, next_due = $3::float8, deadline = $4::float8
  where zone = $1 and epoch = $2`

/** Gives back what was not worked on: zone, epoch. */
export const giveBack = 'update cdn_logs_exporter.zones set lease_until = null where zone = $1 and epoch = $2'

/** Leaves the zones that an owner had last to anybody: owner. */
export const leave = 'update cdn_logs_exporter.zones set owner = null where owner = $1 and lease_until is null'
