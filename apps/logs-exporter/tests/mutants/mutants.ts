/** Mistakes that an exporter could make, as changes of its source; each must turn one of its tests red. */

export interface Mutant {
  readonly id: string
  readonly text: string
  readonly edits: readonly Edit[]
  /** The test that must fail; below the package. */
  readonly test: string
}

export interface Edit {
  /** Below the root of the repository. */
  readonly file: string
  /** Occurs once. */
  readonly find: string
  readonly replace: string
}

const engine = 'apps/logs-exporter/src/engine'
const files = 'apps/logs-exporter/src/sinks/files'

const overwrite: Edit = {
  file: `${files}/write-segment.ts`,
  find: 'async () => !(await firstOf({ disk, root }, named)) && (await link(disk, path, join(root, name))),\n',
  replace:
    'async () => {\n        await disk.unlink(join(root, name)).catch(() => {})\n        return link(disk, path, join(root, name))\n      },\n',
}

export const mutants: readonly Mutant[] = [
  {
    id: 'ledger-before-publish',
    text: 'A window is recorded before its segment is published.',
    edits: [
      {
        file: `${engine}/cut-windows.ts`,
        find: '    const published = await writer?.publish()\n',
        replace:
          '    await ledger.record({ ...window, rows, nextRevision: 1, source, lookedAt: reader.now(), lookDue: nextLook(window, reader.now(), plan) }, undefined, epoch)\n    const published = await writer?.publish()\n',
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'no-fsync',
    text: 'A file gets its name before its bytes are on the disk.',
    edits: [{ file: `${files}/write-segment.ts`, find: '    await file.sync()\n', replace: '' }],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'no-fsync-of-directories',
    text: 'The name of a segment is recorded before it is on the disk.',
    edits: [
      {
        file: `${files}/write-segment.ts`,
        find: '    await disk.syncDirectory(join(root, dirname(name)))\n',
        replace: '',
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'directories-of-others',
    text: 'Only directories that this process has made are synced, and not those that a killed one has left.',
    edits: [
      {
        file: `${files}/directories.ts`,
        find: "      if (codeOf(error) !== 'EEXIST') throw error\n",
        replace: "      if (codeOf(error) === 'EEXIST') return\n      throw error\n",
      },
    ],
    test: 'tests/power-cut.test.ts',
  },
  {
    id: 'overwrite-instead-of-link',
    text: 'A segment takes the place of one that was there first.',
    edits: [overwrite],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'shrinking-revision',
    text: 'A reading with fewer rows takes the place of what the sink has.',
    edits: [
      {
        file: `${engine}/revise.ts`,
        find: '    const { seen, missing, published } = await writeNewRows(context, state, revision, held)\n',
        replace: '    const { seen, missing, published } = await writeNewRows(context, state, 0, [])\n',
      },
      overwrite,
    ],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'no-fence',
    text: 'A worker goes on after its lease has ended.',
    edits: [
      {
        file: `${engine}/engine.ts`,
        find: 'const signal = AbortSignal.any([options.signal, lease.signal])',
        replace: 'const { signal } = options',
      },
    ],
    test: 'tests/fence.test.ts',
  },
  {
    id: 'ledger-lost',
    text: 'A zone that the ledger does not know is new, whatever the sink has.',
    edits: [
      {
        file: `${engine}/reconcile.ts`,
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
        file: 'packages/api/src/limiter.ts',
        find: '      try {\n        return await request()\n      } finally {\n        bucket.freeAt.push(now() + windowMs)\n',
        replace:
          '      const sent = now()\n      try {\n        return await request()\n      } finally {\n        bucket.freeAt.push(sent + windowMs)\n        bucket.freeAt.sort((a, b) => a - b)\n',
      },
    ],
    test: 'tests/rate.test.ts',
  },
  {
    id: 'last-millisecond-dropped',
    text: 'A window ends a millisecond early, whenever it is read.',
    edits: [
      {
        file: `${engine}/revise.ts`,
        find: 'of reader.walk(zone, from, to, signal)',
        replace: 'of reader.walk(zone, from, to - 1, signal)',
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
    text: 'A late row is known by its id.',
    edits: [
      {
        file: 'apps/logs-exporter/src/segments/difference.ts',
        find: 'const whole = withoutLike(lines, like.v2, rowKey)',
        replace: 'const whole = withoutLike(lines, like.v2, (line) => String(JSON.parse(line).requestId))',
      },
    ],
    test: 'tests/guarantee.test.ts',
  },
  {
    id: 'no-late-rows',
    text: 'Windows are not looked at again.',
    edits: [
      {
        file: `${engine}/plan.ts`,
        find: 'looks.find((look) => to + look > lookedAt)',
        replace: 'looks.find((look) => to + look > lookedAt && false)',
      },
    ],
    test: 'tests/guarantee.test.ts',
  },
  {
    id: 'age-of-publishing',
    text: 'A reading counts as made when its segment was published, and a look before that as done.',
    edits: [
      {
        file: `${engine}/cut-windows.ts`,
        find: 'const lookDue = nextLook(window, begun, plan)',
        replace: 'const lookDue = nextLook(window, reader.now(), plan)',
      },
    ],
    test: 'tests/sink-is-the-truth.test.ts',
  },
  {
    id: 'silent-gap',
    text: 'What can no longer be read is passed over without a word.',
    edits: [
      {
        file: `${engine}/export-open.ts`,
        find: '  await ledger.recordGap(gap, epoch)\n',
        replace: '  await ledger.recordGap({ ...gap, to: gap.from }, epoch)\n  await ledger.begin(zone, to, epoch)\n',
      },
    ],
    test: 'tests/retention.test.ts',
  },
]
