/**
 * Returns the environment variable for the address of an interface.
 *
 * @param name name of the interface, such as `edge-storage`
 * @returns such as `CDN_EDGE_STORAGE_URL`
 */
export function addressVariable(name: string): string {
  return `CDN_${name.toUpperCase().replaceAll('-', '_')}_URL`
}
