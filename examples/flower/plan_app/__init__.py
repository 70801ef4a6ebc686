"""A Flower app that carries out plans: the ServerApp is the aggregator, every ClientApp a site."""
