import { startFirst } from '@cdn/kit/testing/start-first'
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { sequence: { sequencer: startFirst(/\/tests\/(shards|crash|stdout)\b/) } } })
