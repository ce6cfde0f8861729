import requests
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from tasks import run_task


@retry(
    retry=retry_if_exception_type(requests.RequestException),
    wait=wait_random_exponential(multiplier=0.5, max=10),
    stop=stop_after_attempt(4),
    reraise=True,
)
def exchange(method, url, headers, body):
    reply = requests.request(method, url, headers=headers, data=body, timeout=10)
    if reply.status_code in (429, 502, 503, 504):
        raise requests.HTTPError(f"{reply.status_code} {reply.text}", response=reply)
    return reply


def send(method, url, headers, body):
    reply = exchange(method, url, headers, body)
    return reply.status_code, reply.headers, reply.text


run_task(send)
