import { readFile } from 'node:fs/promises'

/**
 * The largest resident set that this program has had, in bytes. Linux says so for the program itself; elsewhere it is that of
 * the process, which begins as a copy of the one that started it.
 */
export async function peakMemory(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return Number(kibibytes ?? process.resourceUsage().maxRSS) * 1024
}
