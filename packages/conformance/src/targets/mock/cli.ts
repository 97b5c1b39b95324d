/** `pnpm mock`: runs Prism's own command line with both full contracts, management on port 4010 and logging on 4011. */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const contractFolder = join(dirname(fileURLToPath(import.meta.resolve('@cdn/api/contract'))), '../gen')
const prism = fileURLToPath(import.meta.resolve('@stoplight/prism-cli'))

const interfaces = [
  ['management.full.json', '4010'],
  ['logging.full.json', '4011'],
] as const
const servers = interfaces.map(([file, port]) =>
  spawn(process.execPath, [prism, 'mock', '--port', port, join(contractFolder, file)], { stdio: 'inherit' }),
)

for (const server of servers) {
  server.on('exit', (code) => {
    for (const other of servers) other.kill()
    process.exitCode ||= code ?? 0
  })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const server of servers) server.kill(signal)
  })
}
