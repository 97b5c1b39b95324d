/** A reason for which a store fails. */
export interface Cause {
  /** Codes of the operating system, statuses of HTTP, or the first characters of a SQLSTATE. */
  readonly codes: readonly string[]
  /** A clause, such as `its disk is full`. */
  readonly why: string
  /** Whether only a change of the configuration, or of permissions on this machine, removes the cause. */
  readonly isFinal?: true
}

/**
 * The causes of failures, some of which are final. Only at its start, `run` ends with exit code 2 for a final cause, because waiting
 * cannot help. Any other failure of a server or a network, and any code that is not listed, may pass: `run` waits, at the start and later, and
 * other commands end with 1.
 */
export const causes = {
  files: [
    { codes: ['ENOSPC'], why: 'its disk is full; free some space; no data is lost' },
    { codes: ['EDQUOT'], why: 'its quota is used up; free some space; no data is lost' },
    { codes: ['EFBIG'], why: 'its limit of file sizes is reached; raise it for the process' },
    { codes: ['EMFILE'], why: 'too many files are open; raise the limit of the process' },
    { codes: ['EROFS'], why: 'its file system is read-only' },
    { codes: ['EACCES'], why: 'this user may not write to it', isFinal: true },
    {
      codes: ['EPERM', 'ENOTSUP'],
      why: 'its file system does not allow hard links, which the files sink needs',
      isFinal: true,
    },
    { codes: ['ELOOP'], why: 'its path has a link where the exporter writes, or a loop of links', isFinal: true },
    { codes: ['ENOTDIR'], why: 'it, or a part of its path, is not a directory', isFinal: true },
  ],
  objects: [
    { codes: ['301'], why: 'the bucket is in another region; correct the endpoint and the region', isFinal: true },
    { codes: ['307'], why: 'it redirects to another address; use that one as the endpoint', isFinal: true },
    { codes: ['401'], why: 'the credentials are refused' },
    {
      codes: ['403'],
      why: 'the credentials are wrong or lack a permission; reading, writing and listing below the prefix are needed',
    },
    { codes: ['404'], why: 'the bucket or container does not exist' },
    {
      codes: ['501'],
      why: 'it does not support conditional PUT (If-None-Match), without which two workers could overwrite each other; if there is only one, set sink.exclusive',
      isFinal: true,
    },
  ],
  postgres: [
    { codes: ['08'], why: 'the connection broke' },
    { codes: ['25006'], why: 'the server is read-only, as during a failover' },
    { codes: ['25', '40'], why: 'the server ended the transaction' },
    { codes: ['28'], why: 'it refuses the user or the password' },
    { codes: ['3D'], why: 'the database does not exist' },
    { codes: ['42'], why: 'the user lacks a privilege, or a table of that name does not belong to the exporter' },
    { codes: ['53'], why: 'the server lacks memory, disk or connections' },
    { codes: ['55'], why: 'an object is locked or in use' },
    { codes: ['57'], why: 'the server is starting or stopping, or it cancelled the statement' },
    { codes: ['58', 'XX'], why: 'the server has an internal error' },
  ],
} as const satisfies Readonly<Record<string, readonly Cause[]>>

/** The cause for a code of a store, by the longest match. Undefined for an unknown code, which may pass. */
export function causeOf(store: keyof typeof causes, code: string): Cause | undefined {
  const all: readonly Cause[] = causes[store]
  const isMatch = (start: string) => (store === 'postgres' ? code.startsWith(start) : code === start)
  const matches = all.flatMap((cause) => cause.codes.filter(isMatch).map((start) => ({ cause, length: start.length })))
  return matches.sort((a, b) => b.length - a.length)[0]?.cause
}
