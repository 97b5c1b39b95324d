import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { chromium } from 'playwright-core'
import packed from '../node_modules/@sparticuz/chromium/package.json' with { type: 'json' }

/** Starts the Chromium of the package @sparticuz/chromium, without its flags for cloud functions, which reduce security. */
export async function launchBrowser() {
  return chromium.launch({ executablePath: await unpackChromium() })
}

/**
 * Unpacks the browser, unless an earlier call has done so. Test files start at the same time and may be killed, so the file is
 * created atomically.
 */
async function unpackChromium(): Promise<string> {
  const file = join(tmpdir(), `chromium-${packed.version}-${process.getuid?.() ?? ''}`)
  if (existsSync(file)) return file
  const folder = await mkdtemp(join(tmpdir(), 'chromium-'))
  const unpacked = join(folder, basename(file))
  const archive = fileURLToPath(new URL('../bin/chromium.br', import.meta.resolve('@sparticuz/chromium')))
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(unpacked, { mode: 0o700 }))
  await rename(unpacked, file)
  await rm(folder, { recursive: true })
  return file
}
