import { readFile } from 'node:fs/promises'

/**
 * Returns the peak of this program's resident memory in bytes. Linux reports it per program. Other systems report it per process,
 * which includes the memory before exec, as a copy of the parent process.
 */
export async function peakMemory(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return Number(kibibytes ?? process.resourceUsage().maxRSS) * 1024
}
