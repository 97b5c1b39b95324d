import { createServer } from 'node:http'
import { createEmulator } from '@cdn/emulator'
import express from 'express'
import { announce } from './announce.ts'

const emulator = await createEmulator({ clock: 'real' })
const { accessKey } = emulator.fixtures.credentials
const zone = await emulator.fetch(new URL('pullzone/2001', emulator.managementUrl), {
  headers: { AccessKey: accessKey },
})
const record: unknown = await zone.json()
// Each message asks for the processor time of this process in microseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
if (process.argv[2] === '"express"') {
  const app = express()
  app.get('/pullzone/:id', (request, response) => {
    if (request.get('AccessKey') === undefined) response.status(401).end()
    else response.json(record)
  })
  await announce(createServer(app))
} else {
  const { managementUrl, loggingUrl } = await emulator.listen()
  process.send?.({ managementUrl: managementUrl.href, loggingUrl: loggingUrl.href, accessKey })
  process.once('disconnect', () => process.exit())
}
