import type { Template } from 'aws-cdk-lib/assertions';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Effect: string;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Policy {
  readonly Properties: {
    readonly PolicyDocument: { readonly Statement: readonly Statement[] };
    readonly Roles: readonly { readonly Ref: string }[];
  };
}

/** What each role may do, as `action on resource`, by the role's logical id without its hash. */
export function permissions(template: Template): Readonly<Record<string, readonly string[]>> {
  const all: Record<string, string[]> = {};
  for (const policy of Object.values(template.findResources('AWS::IAM::Policy')) as Policy[])
    for (const { Ref } of policy.Properties.Roles)
      all[short(Ref)] = policy.Properties.PolicyDocument.Statement.flatMap(allowed).sort();
  return all;
}

const allowed = ({ Action, Resource }: Statement): readonly string[] =>
  [Action]
    .flat()
    .flatMap((action) =>
      (Array.isArray(Resource) ? Resource : [Resource]).map((one) => `${action} on ${named(one)}`),
    );

/** A resource by its logical id without its hash, and what of it. */
function named(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const {
    Ref,
    'Fn::GetAtt': of,
    'Fn::Join': join,
  } = resource as {
    readonly Ref?: string;
    readonly 'Fn::GetAtt'?: readonly [string, string];
    readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
  };
  if (of !== undefined) return `${short(of[0])}${of[1] === 'StreamArn' ? ' stream' : ''}`;
  if (join !== undefined) return join[1].map(named).join(join[0]);
  return short(Ref ?? JSON.stringify(resource));
}

const short = (id: string): string => id.replace(/[0-9A-F]{8}$/, '').replace(/^Lanekeeper/, '');
