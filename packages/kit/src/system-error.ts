/** The code of an error of Node or the operating system, such as `ENOSPC`; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Creates an error with a code, like an error of the operating system. The code may also be a reason in words. */
export function errorWithCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a file of that name exists',
  EISDIR: 'a folder of that name exists',
  ELOOP: 'a symbolic link of that name exists',
  ENAMETOOLONG: 'the path is too long',
}

/**
 * Describes a failed write to a file.
 *
 * @param code the code of the error, such as `EACCES`; an unknown code is returned unchanged
 */
export function writeFailure(code: string): string {
  return meanings[code] ?? code
}
