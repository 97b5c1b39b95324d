// Writes the processor time (ms) and the peak memory (bytes) of a program to the file USAGE when it exits.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // Linux has VmHWM, the peak of the program alone. `maxRSS` includes the time before exec, when the process is a copy of its parent.
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
  const peak = Number(kibibytes ?? process.resourceUsage().maxRSS) * 1024
  if (process.env.USAGE) writeFileSync(process.env.USAGE, JSON.stringify({ cpuMs: (user + system) / 1000, peak }))
})
