import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { ContainerClient, newPipeline, StorageSharedKeyCredential } from '@azure/storage-blob'
import { startProxy } from './faulty-proxy.ts'

/** The account of Azurite, which its documentation states. */
const credentials = {
  account: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
}

/** Starts Azurite, in memory, behind a proxy that injects faults. */
export async function startAzure() {
  const program = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js')
  const args = ['--inMemoryPersistence', '--blobPort', '0', '--skipApiVersionCheck', '--disableTelemetry']
  const server = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let upstream = ''
  for await (const line of createInterface(server.stdout)) {
    upstream = /listens on (http:\S+)/.exec(line)?.[1] ?? ''
    if (upstream) break
  }
  server.stdout.resume()
  const name = 'logs'
  const pipeline = newPipeline(new StorageSharedKeyCredential(credentials.account, credentials.key))
  const raw = new ContainerClient(`${upstream}/${credentials.account}/${name}`, pipeline)
  await raw.create()
  const proxy = await startProxy(upstream)
  return Object.assign(proxy, {
    ...{ container: `${proxy.url}/${credentials.account}/${name}`, accountKey: credentials.key, raw },
    async stop() {
      proxy.close()
      server.kill()
      await once(server, 'close')
    },
  })
}
