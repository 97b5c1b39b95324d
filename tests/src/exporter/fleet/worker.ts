/** A worker of a fleet in a process of its own: `node worker.ts CONFIG '<times of its leases>'`. It ends as `run` does. */
import { onInterruption } from '@cdn/logs-exporter/src/cli/interruption.ts'
import { createLog } from '@cdn/logs-exporter/src/cli/log.ts'
import { run } from '@cdn/logs-exporter/src/cli/run.ts'
import { readConfig } from '@cdn/logs-exporter/src/config/read-config.ts'

const [path = '', times = '{}'] = process.argv.slice(2)
const interruption = onInterruption()
const config = await readConfig(path, process.env)
process.exitCode = await run(config, {
  env: process.env,
  log: createLog(),
  signal: interruption.signal,
  times: JSON.parse(times),
})
interruption.release()
