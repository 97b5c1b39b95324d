import { readFile } from 'node:fs/promises'

/**
 * Returns the peak resident memory of this program in bytes. Linux reports the peak per program. Other systems report the peak per
 * process: this includes the time before exec, when the process is a copy of its parent.
 */
export async function peakMemory(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return Number(kibibytes ?? process.resourceUsage().maxRSS) * 1024
}
