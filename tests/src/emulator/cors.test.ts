/** Web pages can call the emulator only if it allows them. */
import { createServer } from 'node:http'
import { createEmulator } from '@cdn/emulator'
import { listen } from '@cdn/kit/testing/listen'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../chromium.ts'

describe('from a page of another origin', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  /** Sends requests from a web page. Returns for each its status and whether the response has a body, or the name of its error. */
  async function call(cors: boolean) {
    const emulator = await createEmulator()
    const { managementUrl, loggingUrl } = await emulator.listen({ cors })
    const { accessKey, bearer } = emulator.fixtures.credentials
    const origin = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('a page'))
    const page = await (await browser.newContext()).newPage()
    try {
      await page.goto(await listen(origin))
      return await page.evaluate(
        async ({ managementUrl, loggingUrl, accessKey, bearer }) => {
          const send = (url: string, init: RequestInit) =>
            fetch(url, init).then(
              async (response) => [response.status, (await response.text()).length > 0],
              (error: Error) => error.name,
            )
          const key = { AccessKey: accessKey }
          const body = JSON.stringify({ Hostname: 'a.example' })
          return [
            await send(`${loggingUrl}v2/pullzones/2002/logs?limit=1`, { headers: key }),
            await send(`${loggingUrl}v2/pullzones/2002/logs`, { headers: { Authorization: `Bearer ${bearer}` } }),
            await send(`${managementUrl}pullzone/2001/addAllowedReferrer`, {
              method: 'POST',
              headers: { ...key, 'Content-Type': 'application/json' },
              body,
            }),
            await send(`${managementUrl}videolibrary/1001/watermark`, { method: 'DELETE', headers: key }),
            await send(`${managementUrl}pullzone/2001`, {}),
            await send(`${managementUrl}_emulator/state`, {}),
          ]
        },
        { managementUrl: managementUrl.href, loggingUrl: loggingUrl.href, accessKey, bearer },
      )
    } finally {
      await page.context().close()
      origin.close()
      await emulator.close()
    }
  }

  const answered = [[200, true], [200, true], [204, false], [204, false], [401, false], 'TypeError']

  test('with cors both interfaces answer, the control interface does not', async () => {
    expect(await call(true)).toEqual(answered)
  })

  test('without cors no response can be read', async () => {
    expect(await call(false)).toEqual(Array(6).fill('TypeError'))
  })
})
