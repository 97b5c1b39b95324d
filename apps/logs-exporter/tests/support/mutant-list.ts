/** Possible mistakes of an exporter, written as changes of its source. Each mistake must make a test fail. */

export interface ExporterMutant {
  readonly id: string
  readonly text: string
  readonly edits: readonly Edit[]
  /** Path of the test that must fail, within the package. */
  readonly test: string
}

export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

const engine = 'apps/logs-exporter/src/engine'
const files = 'apps/logs-exporter/src/sinks/files'
const segmentFiles = 'apps/logs-exporter/src/sinks/segment-files.ts'

const overwrite: Edit = {
  file: `${files}/index.ts`,
  find: '    await disk.link(from, to)\n',
  replace: '    await disk.unlink(to).catch(() => {})\n    await disk.link(from, to)\n',
}
const noSearch: Edit = {
  file: segmentFiles,
  find: 'const existing = await findSegment(store, segment, signal)\n',
  replace: 'const existing = undefined\n',
}

export const exporterMutants: readonly ExporterMutant[] = [
  {
    id: 'ledger-before-publish',
    text: 'A window is recorded before its segment is published.',
    edits: [
      {
        file: `${engine}/cut-windows.ts`,
        find: '    const published = await writer?.publish()\n',
        replace:
          '    await ledger.record({ ...window, rows, nextRevision: 1, checkedAt: reader.now(), recheckDue: nextRecheck(window, reader.now(), plan) })\n    const published = await writer?.publish()\n',
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'no-fsync',
    text: 'A file gets its final name before its bytes are on the disk.',
    edits: [
      { file: `${files}/index.ts`, find: '      await file.sync() // before the file has its name\n', replace: '' },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'no-fsync-of-directories',
    text: 'The name of a segment is recorded before it is on the disk.',
    edits: [
      {
        file: segmentFiles,
        find: '    await store.sync?.(posix.dirname(path))\n',
        replace: '',
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'directories-of-others',
    text: 'Only directories that this process has created are synced, but not those of a killed process.',
    edits: [
      {
        file: `${files}/disk.ts`,
        find: "      if (codeOf(error) !== 'EEXIST') throw error\n",
        replace: "      if (codeOf(error) !== 'EEXIST') throw error\n      known.add(path)\n",
      },
      {
        file: `${files}/disk.ts`,
        find: '    await disk.syncDirectory(dirname(path))\n',
        replace: '    if (!known.has(path)) await disk.syncDirectory(dirname(path))\n',
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'overwrite-instead-of-link',
    text: 'A segment replaces an existing one.',
    edits: [overwrite, noSearch],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'shrinking-revision',
    text: 'A read with fewer rows replaces the rows in the sink.',
    edits: [
      {
        file: `${engine}/recheck.ts`,
        find: 'await writeNewRows(context, state, revision, held)\n',
        replace: 'await writeNewRows(context, state, 0, [])\n',
      },
      overwrite,
      noSearch,
    ],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'no-synchronization',
    text: "Windows are planned before the platform's time is known.",
    edits: [{ file: `${engine}/engine.ts`, find: '    await reader.synchronize(zone, signal)\n', replace: '' }],
    test: 'tests/clock.test.ts',
  },
  {
    id: 'ledger-lost',
    text: 'A zone that is unknown to the ledger counts as new, even if the sink has segments of it.',
    edits: [
      {
        file: `${engine}/recover.ts`,
        find: 'const from = position ?? (await start(context))',
        replace: 'const from = position ?? firstPosition(context.reader.now(), context.plan)',
      },
    ],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'slot-freed-at-send',
    text: 'A slot of the rate limit is free ten seconds after its request was sent.',
    edits: [
      {
        file: 'packages/api/src/fetch/limiter.ts',
        find: '      try {\n        return await request()\n      } finally {\n        bucket.freeAt.push(now() + windowMs)\n',
        replace:
          '      const sent = now()\n      try {\n        return await request()\n      } finally {\n        bucket.freeAt.push(sent + windowMs)\n        bucket.freeAt.sort((a, b) => a - b)\n',
      },
    ],
    test: 'tests/rate.test.ts',
  },
  {
    id: 'last-millisecond-dropped',
    text: 'Every read of a window ends a millisecond early.',
    edits: [
      {
        file: `${engine}/recheck.ts`,
        find: 'of reader.readRange(window, encode.page, signal)',
        replace: 'of reader.readRange({ ...window, to: window.to - 1 }, encode.page, signal)',
      },
      {
        file: `${engine}/cut-windows.ts`,
        find: 'const last = firstAtOrAfter(times, window.to, first)',
        replace: 'const last = firstAtOrAfter(times, window.to - 1, first)',
      },
    ],
    test: 'tests/guarantee.test.ts',
  },
  {
    id: 'ids-as-dedupe',
    text: 'Late rows are identified by their ids.',
    edits: [
      {
        file: 'apps/logs-exporter/src/segments/difference.ts',
        find: 'const equal = withoutLike(lines, like, (line) => line)',
        replace: 'const equal = withoutLike(lines, like, (line) => String(JSON.parse(line).requestId))',
      },
    ],
    test: 'tests/guarantee.test.ts',
  },
  {
    id: 'no-late-rows',
    text: 'Windows are not rechecked.',
    edits: [
      {
        file: `${engine}/plan.ts`,
        find: 'rechecks.find((recheck) => to + recheck > checkedAt)',
        replace: 'rechecks.find((recheck) => to + recheck > checkedAt && false)',
      },
    ],
    test: 'tests/guarantee.test.ts',
  },
  {
    id: 'age-of-publishing',
    text: 'The time of a read is the publication of its segment, so a recheck due before that is skipped.',
    edits: [
      {
        file: `${engine}/cut-windows.ts`,
        find: 'const recheckDue = nextRecheck(window, begun, plan)',
        replace: 'const recheckDue = nextRecheck(window, reader.now(), plan)',
      },
    ],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'silent-gap',
    text: 'Ranges that can no longer be read are skipped without a report.',
    edits: [
      {
        file: `${engine}/export-open.ts`,
        find: '  await ledger.recordGap(gap)\n',
        replace: '  await ledger.recordGap({ ...gap, to: gap.from })\n  await ledger.begin(zone, to)\n',
      },
    ],
    test: 'tests/retention.test.ts',
  },
]
