import urllib3

from tasks import run_task

RETRY = urllib3.Retry(
    3,
    backoff_factor=0.5,
    backoff_jitter=0.5,
    allowed_methods={"GET", "POST", "PATCH"},
    status_forcelist={429, 502, 503, 504},
    raise_on_status=False,
)
http = urllib3.PoolManager(retries=RETRY)


def send(method, url, headers, body):
    reply = http.request(method, url, headers=headers, body=body)
    return reply.status, reply.headers, reply.data.decode()


run_task(send)
