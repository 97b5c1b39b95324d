import { startFirst } from '@cdn/kit/testing/start-first'
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { sequence: { sequencer: startFirst(/\/mutants\/matrix\b/) } } })
