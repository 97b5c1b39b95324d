import { createEmulator } from '@cdn/emulator'
import { createClientFromOperations } from '@stoplight/prism-http/dist/client.js'
import { createDeleteLoad } from '../pipelined-client.ts'
import { prismConfig, prismLogger, readWithPrism } from '../prism.ts'
import { compare, type Load, mapEach } from '../rates.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { startSubject } from '../subjects/child.ts'

const path = 'videolibrary/1001/watermark'

/** Measures DELETE watermark with a key. In process, each tool uses its own client. Over sockets, all tools use one client. */
export const requests: Measurement = {
  name: 'requests',
  run: async () => [await inProcess(), ...(await overSockets())],
}

async function inProcess(): Promise<Row> {
  const emulator = await createEmulator()
  const headers = { AccessKey: emulator.fixtures.credentials.accessKey }
  const url = new URL(path, emulator.managementUrl)
  const prism = createClientFromOperations(await readWithPrism('management', 'full'), {
    ...prismConfig,
    logger: prismLogger,
  })
  const [ours, theirs] = await compare([
    repeat(async () => (await emulator.fetch(url, { method: 'DELETE', headers })).status),
    repeat(async () => (await prism.delete(`/${path}`, { headers: { accesskey: 'any' } })).status),
  ])
  return {
    what: 'DELETE watermark in process',
    ours: `${digits(ours)}/s`,
    peer: `Prism's client ${digits(theirs)}/s: ${digits(ours / theirs)} times`,
    bound: 'at least 10 times',
    met: ours >= 10 * theirs,
  }
}

/** Repeats a call in sequence. */
function repeat(call: () => Promise<number>): Load {
  return async (milliseconds) => {
    const end = performance.now() + milliseconds
    let count = 0
    for (; performance.now() < end; count++) {
      const status = await call()
      if (status !== 204) throw new Error(`Unexpected status ${status} for DELETE`)
    }
    return count
  }
}

async function overSockets(): Promise<Row[]> {
  const subjects = await Promise.all([
    startSubject('emulator-server'),
    startSubject('bare-server'),
    startSubject('prism-server'),
  ])
  try {
    const [ours, bare, prism] = await compare(
      mapEach(subjects, ({ managementUrl, accessKey }) => createDeleteLoad(managementUrl, accessKey)),
    )
    const row = { what: 'DELETE watermark over sockets', ours: `${digits(ours)}/s` }
    return [
      {
        ...row,
        peer: `bare node:http ${digits(bare)}/s: ${digits(ours / bare)} times`,
        bound: 'at least 0.5 times',
        met: ours >= bare / 2,
      },
      {
        ...row,
        peer: `Prism ${digits(prism)}/s: ${digits(ours / prism)} times`,
        bound: 'informational',
        met: true,
      },
    ]
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()))
  }
}
