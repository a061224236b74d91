"""Scrapy on the generated site: scrapy_spider.py SEEDS RESOLVE; prints the pages fetched."""
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

with open(sys.argv[1], encoding="utf-8") as seeds_file:
    SEEDS = seeds_file.read().split()
with open(sys.argv[2], encoding="utf-8") as resolve_file:
    ADDRESSES = {line.split(":")[0]: line.split(":")[2] for line in resolve_file.read().split()}


class FixedAddresses(CachingThreadedResolver):
    def getHostByName(self, name, timeout=None):  # pylint: disable=invalid-name
        return defer.succeed(ADDRESSES[name])


class Site(scrapy.Spider):
    name = "site"
    start_urls = SEEDS
    links = LinkExtractor()
    pages = 0

    def parse(self, response):
        Site.pages += 1
        for link in self.links.extract_links(response):
            yield response.follow(link, self.parse)


process = CrawlerProcess({
    "LOG_ENABLED": False, "ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 0, "DEPTH_LIMIT": 0,
    "CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "TELNETCONSOLE_ENABLED": False,
    "DNS_RESOLVER": FixedAddresses, "HTTPERROR_ALLOW_ALL": False})
process.crawl(Site)
process.start()
print(Site.pages)
