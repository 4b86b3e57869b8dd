/** The ARN of the dead-letter queue that a redrive policy names, if it names one. */
export function deadLettersIn(policy: string | undefined): string | undefined {
  const { deadLetterTargetArn } = JSON.parse(policy || '{}') as {
    readonly deadLetterTargetArn?: string;
  };
  return deadLetterTargetArn;
}
