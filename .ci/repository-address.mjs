/** Whether the addresses in package.json are those of the repository that is released. Knows neither git nor npm. */

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
