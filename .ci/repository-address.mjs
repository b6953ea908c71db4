/** Whether package.json, the README and SECURITY.md name the repository that is released. Knows neither git nor npm. */

/** `https://github.com/owner/name` of any address that git takes for it, without credentials. */
function webAddressOf(remote) {
  const [, owner, name] =
    /^(?:git\+)?(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(
      remote,
    ) ?? [];
  return owner && `https://github.com/${owner}/${name}`;
}

/**
 * npm refuses a package with provenance whose `repository` is not the repository that it is built in. The registry's
 * page links to all three.
 *
 * @param manifest the content of package.json
 * @param origin the address of git's remote `origin`; undefined without one
 * @returns a sentence for each fault
 */
export function faultsOfAddresses({ repository, homepage, bugs }, origin) {
  const address = origin && webAddressOf(origin);
  if (!address)
    return ['git: Expected a remote "origin" on github.com, got none. Push the repository first.'];
  const fields = [
    ['repository.url', repository?.url, `git+${address}.git`],
    ['homepage', homepage, `${address}#readme`],
    ['bugs.url', bugs?.url, `${address}/issues`],
  ];
  return fields
    .filter(([, value, expected]) => value !== expected)
    .map(([name, value, expected]) => `package.json: Expected ${name} ${expected}, as in git, got ${value}.`);
}

/**
 * A vulnerability that is reported to another repository reaches nobody.
 *
 * @param name of the file
 * @param text of a file that links to no other repository
 * @param origin as above
 * @returns a sentence at most
 */
export function faultsOfLinks(name, text, origin) {
  const address = origin && webAddressOf(origin);
  if (!address) return [];
  const others = [...text.matchAll(/https:\/\/(?:github|raw\.githubusercontent)\.com\/([\w.-]+\/[\w.-]+)/g)]
    .map(([, repository]) => `https://github.com/${repository}`)
    .filter((link) => link !== address);
  return others.length === 0
    ? []
    : [`${name}: Expected links to ${address}, as in git, got ${others.length} to ${others[0]}.`];
}
